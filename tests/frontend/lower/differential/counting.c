// A wide number that is counted up in a loop is not a pointer to every address.
unsigned long checksum;
int other;

int main(void)
{
    unsigned long sum = 7;
    int *p = &other;
    for (int i = 0; i < 300; i++) {
        sum = sum * 31 + 5;
        sum += 8;
    }
    *p = 3;
    checksum = sum + other;
    return 0;
}
