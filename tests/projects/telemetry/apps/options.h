extern int verbose;
void read_options(int argc, char **argv);
