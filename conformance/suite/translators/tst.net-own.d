/* @@ kernel: nonempty */
struct mine { int a; };
translator tcpinfo_t < struct mine *M > {
	tcp_sport = M == NULL ? 80 : 0;
};
syscall::read:entry
{
	printf("%d %s\n", xlate <tcpinfo_t> ((struct mine *)NULL).tcp_sport, tcp_state_string[arg0]);
}
