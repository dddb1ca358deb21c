void record(int value);
long total(void);
