/* Chooses the neighbour to send by: the one over which the whole way to the base station costs least. What a link is worth is
   estimated from the gaps in the numbers of the messages heard, averaged over time. */
includes MultiHop;
module MultiHopWMEWMA {
  provides {
    interface StdControl;
    interface RouteSelect;
  }
  uses {
    interface Timer;
    interface ReceiveMsg;
    interface SendMsg;
    interface Random;
  }
}
implementation {
  enum { NEIGHBOURS = 16, NONE = 0xff, PERIOD = 30, PERIODS_PER_ANNOUNCEMENT = 5, BEST = 255 };
  enum { HEADER = offsetof(TOS_MHopMsg, data) };
  struct neighbour {
    bool known;
    bool fresh; /* heard but once: nothing to estimate from */
    uint16_t id;
    uint16_t parent;
    uint16_t cost;
    int16_t number; /* of the last message heard */
    uint16_t heard, missed; /* since the last estimate */
    uint8_t in, out; /* quality of the link, 0 to BEST */
    uint8_t hops; /* from there to the base station */
  } neighbours[NEIGHBOURS];
  struct neighbour *parent;
  uint8_t hops;
  uint16_t cost;
  int16_t number; /* of our next message */
  uint8_t periods;
  TOS_Msg announcement;
  bool announcing;

  TOS_MHopMsg *header(TOS_MsgPtr msg) {
    return (TOS_MHopMsg *)msg->data;
  }

  /* ---------------------------------------------------------------- the neighbours */
  struct neighbour *find(uint16_t id) {
    uint8_t n;

    for (n = 0; n < NEIGHBOURS; n++)
      if (neighbours[n].known && neighbours[n].id == id)
        return &neighbours[n];
    return NULL;
  }
  /* An unused place, or else that of the neighbour who hears us worst. */
  struct neighbour *place() {
    struct neighbour *worst = neighbours;
    uint8_t n;

    for (n = 0; n < NEIGHBOURS && worst->known; n++)
      if (!neighbours[n].known || neighbours[n].out < worst->out)
        worst = &neighbours[n];
    return worst;
  }
  struct neighbour *meet(uint16_t id, int16_t itsNumber) {
    struct neighbour *one = place();

    memset(one, 0, sizeof(*one));
    one->known = one->fresh = TRUE;
    one->id = id;
    one->parent = one->cost = NONE;
    one->number = itsNumber;
    return one;
  }
  void hear(struct neighbour *one, int16_t itsNumber) {
    int16_t gap = itsNumber - one->number - 1;

    one->fresh = FALSE;
    one->number = itsNumber;
    one->heard++;
    if (gap > 0)
      one->missed += gap;
  }
  /* A quarter of the new estimate is the last period, three quarters the estimate before. */
  void estimate(struct neighbour *one) {
    uint32_t all = one->heard + one->missed;

    if (!one->known || one->fresh || all == 0)
      return;
    one->in = (3 * one->in + (uint32_t)BEST * one->heard / all) / 4;
    one->heard = one->missed = 0;
  }
  /* The whole way's cost by this neighbour, in 64ths. */
  uint32_t costBy(struct neighbour *one) {
    uint32_t both = (uint32_t)one->in * one->out;

    return both == 0 ? 0x10000 : 0x1000000 / both + ((uint32_t)one->cost << 6);
  }
  bool eligible(struct neighbour *one) {
    return one->known && one->parent != NONE && one->parent != TOS_LOCAL_ADDRESS;
  }
  void choose() {
    struct neighbour *chosen = NULL;
    uint32_t least = 0xffffffff;
    uint8_t n;

    for (n = 0; n < NEIGHBOURS; n++) {
      if (eligible(&neighbours[n]) && costBy(&neighbours[n]) < least) {
        chosen = &neighbours[n];
        least = costBy(chosen);
      }
    }
    if (chosen != NULL) {
      atomic {
        parent = chosen;
        cost = least >> 6;
        hops = chosen->hops == NONE ? NONE : chosen->hops + 1;
      }
    }
  }

  /* ---------------------------------------------------------------- announcements */
  /* Names one neighbour and how well we hear it. */
  uint8_t listOne(RPEstEntry *entry) {
    uint8_t n;

    for (n = 0; n < NEIGHBOURS; n++) {
      if (neighbours[n].known) {
        entry->id = neighbours[n].id;
        entry->receiveEst = neighbours[n].in;
        return 1;
      }
    }
    return 0;
  }
  task void announce() {
    RoutePacket *route = (RoutePacket *)header(&announcement)->data;

    if (announcing)
      return;
    route->parent = parent == NULL ? NONE : parent->id;
    route->cost = cost;
    route->estEntries = listOne(route->estList);
    call RouteSelect.initializeFields(&announcement, AM_MULTIHOPMSG);
    announcing = call SendMsg.send(TOS_BCAST_ADDR, HEADER + sizeof(RoutePacket), &announcement);
  }
  event result_t SendMsg.sendDone(TOS_MsgPtr msg, result_t success) {
    announcing = FALSE;
    return SUCCESS;
  }
  event TOS_MsgPtr ReceiveMsg.receive(TOS_MsgPtr msg) {
    TOS_MHopMsg *from = header(msg);
    RoutePacket *route = (RoutePacket *)from->data;
    struct neighbour *one = find(from->sourceaddr);

    if (one == NULL)
      one = meet(from->sourceaddr, from->seqno);
    else
      hear(one, from->seqno);
    one->hops = from->hopcount;
    one->parent = route->parent;
    one->cost = route->cost;
    if (route->estEntries > 0 && route->estList[0].id == TOS_LOCAL_ADDRESS)
      one->out = route->estList[0].receiveEst;
    return msg;
  }

  /* ---------------------------------------------------------------- now and then */
  task void reckon() {
    uint8_t n;

    for (n = 0; n < NEIGHBOURS; n++)
      estimate(&neighbours[n]);
    choose();
    periods++;
    if (periods == PERIODS_PER_ANNOUNCEMENT) {
      periods = 0;
      post announce();
    }
  }
  event result_t Timer.fired() {
    return post reckon();
  }

  /* ---------------------------------------------------------------- the way of a message */
  command bool RouteSelect.isActive() {
    return parent != NULL;
  }
  command result_t RouteSelect.initializeFields(TOS_MsgPtr msg, uint8_t id) {
    TOS_MHopMsg *ours = header(msg);

    ours->originaddr = ours->sourceaddr = TOS_LOCAL_ADDRESS;
    ours->seqno = number;
    ours->hopcount = hops;
    number++;
    return SUCCESS;
  }
  command result_t RouteSelect.selectRoute(TOS_MsgPtr msg, uint8_t id) {
    TOS_MHopMsg *way = header(msg);
    bool ours = way->originaddr == TOS_LOCAL_ADDRESS && way->sourceaddr == TOS_LOCAL_ADDRESS;

    if (parent == NULL) {
      msg->addr = TOS_BCAST_ADDR;
      return ours;
    }
    if (!ours) {
      if (hops >= way->hopcount)
        return FAIL; /* it came from someone nearer than we are */
      way->seqno = number;
      number++;
    }
    way->sourceaddr = TOS_LOCAL_ADDRESS;
    way->hopcount = hops;
    msg->addr = parent->id;
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- on and off */
  command result_t StdControl.init() {
    memset(neighbours, 0, sizeof(neighbours));
    parent = NULL;
    hops = NONE;
    cost = NONE;
    number = 0;
    periods = 0;
    announcing = FALSE;
    return call Random.init();
  }
  command result_t StdControl.start() {
    post reckon();
    return call Timer.start(0, PERIOD);
  }
  command result_t StdControl.stop() {
    return call Timer.stop();
  }
}
