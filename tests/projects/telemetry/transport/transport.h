#ifndef TRANSPORT_H
#define TRANSPORT_H

int transport_start(void);
void transport_stop(void);

extern unsigned long transport_sent;

#endif
