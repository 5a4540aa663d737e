BEGIN /x = stack()/ { }
