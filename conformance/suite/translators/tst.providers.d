/* What a provider definition says of a probe's arguments: their types, and what args[] makes of them. */
struct item { int id; int price; };
struct shown { string name; long total; };
translator struct shown < struct item *I > {
	name = I->id == 7 ? "seven" : "some";
	total = I->price * 2;
};
provider shop {
	probe order__done(struct item *I, int count) : (int count, struct shown *I);
};
shop:::order-done
{
	printf("%d %s %d %d\n", args[0], args[1]->name, args[1]->total, arg1);
}
