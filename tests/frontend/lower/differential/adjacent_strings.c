// An escape sequence ends where its literal ends, also if the next literal goes on with a digit; prefixes are of the whole.
unsigned long checksum;
static const char bytes[] = "\377" "7" "\\" "x41" "\\\x5" "f" "\0" "12" "\1" "" "2" "\12" "3" "\101" "2";
static const int wide[] = L"\x12" "34" L"\x1f600" L"b";
static const unsigned short units[] = u"\U0001F600" "1";

int main(void)
{
    const char *s = "\x41" "1";
    checksum = sizeof bytes * 31 + sizeof wide * 7 + sizeof units + s[0] * 3 + s[1];
    for (unsigned i = 0; i < sizeof bytes; i++)
        checksum = checksum * 31 + (unsigned char)bytes[i];
    for (unsigned i = 0; i < sizeof wide / sizeof wide[0]; i++)
        checksum = checksum * 31 + wide[i];
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        checksum = checksum * 31 + units[i];
    return 0;
}
