BEGIN { @["a"] = count(); printa("%k", @); }
