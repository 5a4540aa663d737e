/* @@ args: -q -Z */
/* What appears twice is enabled twice; clauses of one probe keep the order of the text, and ticks go on. */
app:::
{
	this->n = 1;
	seen[probename]++;
}

app:::a,
app:::b
{
	this->n++;
	printf("%s %d %d\n", probename, this->n, seen[probename]);
}

tick-2ms
{
	printf("tick %d\n", ++ticks);
}
