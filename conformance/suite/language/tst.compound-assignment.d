/* @@ kernel: nonempty */
int64_t g;

syscall::read:entry
{
	g = arg0;
	g += 5; @["+"] = sum(g);
	g -= 1; @["-"] = sum(g);
	g *= 3; @["*"] = sum(g);
	g /= 4; @["/"] = sum(g);
	g %= 7; @["%"] = sum(g);
	g <<= 4; @["<<"] = sum(g);
	g >>= 1; @[">>"] = sum(g);
	g &= 12; @["&"] = sum(g);
	g |= 3; @["|"] = sum(g);
	g ^= 5; @["^"] = sum(g);
}
