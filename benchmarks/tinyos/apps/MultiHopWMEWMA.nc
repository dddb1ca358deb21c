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
  enum {
    NBRFLAG_VALID = 0x01, NBRFLAG_NEW = 0x02, ROUTE_TABLE_SIZE = 16, ROUTE_INVALID = 0xff, BASE_STATION = 0, ESTIMATE_TO_ROUTE_RATIO = 5,
    MAX_ALLOWABLE_LINK_COST = 256, ESTIMATE_TICKS = 30
  };
  typedef struct TableEntry {
    uint16_t id;
    uint16_t parent;
    uint16_t cost;
    uint8_t flags;
    uint8_t liveliness;
    int16_t lastSeqno;
    uint16_t missed;
    uint16_t received;
    uint8_t receiveEst;
    uint8_t sendEst;
  } TableEntry;
  TableEntry NeighborTbl[ROUTE_TABLE_SIZE];
  TableEntry *gpCurrentParent;
  TOS_Msg routeMsg;
  bool gfSendRouteBusy;
  uint8_t gbCurrentHopCount;
  int16_t gCurrentSeqNo;
  uint16_t gbCurrentCost;
  uint8_t gTicks;
  TOS_MsgPtr gReceived;

  uint8_t findEntry(uint16_t id) {
    uint8_t i;
    for (i = 0; i < ROUTE_TABLE_SIZE; i++)
      if ((NeighborTbl[i].flags & NBRFLAG_VALID) && NeighborTbl[i].id == id)
        return i;
    return ROUTE_INVALID;
  }
  void newEntry(uint8_t index, uint16_t id) {
    NeighborTbl[index].id = id;
    NeighborTbl[index].flags = NBRFLAG_VALID | NBRFLAG_NEW;
    NeighborTbl[index].liveliness = 0;
    NeighborTbl[index].parent = ROUTE_INVALID;
    NeighborTbl[index].cost = ROUTE_INVALID;
    NeighborTbl[index].received = NeighborTbl[index].missed = 0;
    NeighborTbl[index].receiveEst = NeighborTbl[index].sendEst = 0;
  }
  uint8_t findEntryToBeReplaced() {
    uint8_t i, minSendEst = 0xff, minIndex = ROUTE_INVALID;
    for (i = 0; i < ROUTE_TABLE_SIZE; i++) {
      if ((NeighborTbl[i].flags & NBRFLAG_VALID) == 0)
        return i;
      if (minSendEst >= NeighborTbl[i].sendEst) {
        minIndex = i;
        minSendEst = NeighborTbl[i].sendEst;
      }
    }
    return minIndex;
  }
  void updateEst(TableEntry *Nbr) {
    uint16_t total, newAve;
    if (Nbr->flags & NBRFLAG_NEW)
      return;
    total = Nbr->received + Nbr->missed;
    if (total == 0)
      return;
    newAve = ((uint32_t)255 * (uint32_t)Nbr->received) / total;
    Nbr->receiveEst = ((uint16_t)Nbr->receiveEst * 3 + newAve) / 4;
    Nbr->received = Nbr->missed = 0;
  }
  uint32_t evaluateCost(uint16_t cost, uint8_t sendEst, uint8_t receiveEst) {
    uint32_t transEst = (uint32_t)sendEst * (uint32_t)receiveEst;
    uint32_t immed = ((uint32_t)1 << 24);
    if (transEst == 0)
      return ((uint32_t)1 << 16);
    immed = immed / transEst;
    immed += ((uint32_t)cost << 6);
    return immed;
  }
  void chooseParent() {
    uint8_t i;
    uint32_t best = (uint32_t)-1, ul;
    TableEntry *pNewParent = NULL;
    for (i = 0; i < ROUTE_TABLE_SIZE; i++) {
      TableEntry *pNbr = &NeighborTbl[i];
      if (!(pNbr->flags & NBRFLAG_VALID)) continue;
      if (pNbr->parent == TOS_LOCAL_ADDRESS) continue;
      if (pNbr->parent == ROUTE_INVALID) continue;
      ul = evaluateCost(pNbr->cost, pNbr->sendEst, pNbr->receiveEst);
      if (ul < best) {
        best = ul;
        pNewParent = pNbr;
      }
    }
    if (pNewParent) {
      atomic {
        gpCurrentParent = pNewParent;
        gbCurrentHopCount = pNewParent->liveliness + 1;
        gbCurrentCost = best >> 6;
      }
    }
  }
  task void SendRouteTask() {
    RoutePacket *pRP = (RoutePacket *)&routeMsg.data[offsetof(TOS_MHopMsg, data)];
    uint8_t i;
    if (gfSendRouteBusy)
      return;
    if (gpCurrentParent)
      pRP->parent = gpCurrentParent->id;
    pRP->cost = gbCurrentCost;
    pRP->estEntries = 0;
    for (i = 0; i < ROUTE_TABLE_SIZE && pRP->estEntries < 1; i++) {
      if (NeighborTbl[i].flags & NBRFLAG_VALID) {
        pRP->estList[0].id = NeighborTbl[i].id;
        pRP->estList[0].receiveEst = NeighborTbl[i].receiveEst;
        pRP->estEntries++;
      }
    }
    call RouteSelect.initializeFields(&routeMsg, AM_MULTIHOPMSG);
    if (call SendMsg.send(TOS_BCAST_ADDR, sizeof(RoutePacket) + offsetof(TOS_MHopMsg, data), &routeMsg) == SUCCESS)
      gfSendRouteBusy = TRUE;
  }
  task void TimerTask() {
    uint8_t i;
    gTicks++;
    for (i = 0; i < ROUTE_TABLE_SIZE; i++)
      if (NeighborTbl[i].flags & NBRFLAG_VALID)
        updateEst(&NeighborTbl[i]);
    chooseParent();
    if (gTicks % ESTIMATE_TO_ROUTE_RATIO == 0)
      post SendRouteTask();
  }
  command result_t StdControl.init() {
    memset((void *)NeighborTbl, 0, sizeof(TableEntry) * ROUTE_TABLE_SIZE);
    gpCurrentParent = NULL;
    gbCurrentHopCount = ROUTE_INVALID;
    gCurrentSeqNo = 0;
    gTicks = 0;
    gbCurrentCost = ROUTE_INVALID;
    gfSendRouteBusy = FALSE;
    return call Random.init();
  }
  command result_t StdControl.start() {
    post TimerTask();
    call Timer.start(0, ESTIMATE_TICKS);
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    return call Timer.stop();
  }
  command bool RouteSelect.isActive() {
    return gpCurrentParent != NULL;
  }
  command result_t RouteSelect.selectRoute(TOS_MsgPtr Msg, uint8_t id) {
    TOS_MHopMsg *pMHMsg = (TOS_MHopMsg *)&Msg->data[0];
    uint8_t iNbr;
    result_t Result = SUCCESS;
    if (gpCurrentParent == NULL) {
      if (pMHMsg->sourceaddr == TOS_LOCAL_ADDRESS && pMHMsg->originaddr == TOS_LOCAL_ADDRESS) {
        Msg->addr = TOS_BCAST_ADDR;
        return SUCCESS;
      }
      return FAIL;
    }
    if (gbCurrentHopCount >= pMHMsg->hopcount)
      return FAIL;
    iNbr = findEntry(pMHMsg->sourceaddr);
    if (iNbr == ROUTE_INVALID)
      Result = FAIL;
    pMHMsg->hopcount = gbCurrentHopCount;
    if (pMHMsg->sourceaddr != TOS_LOCAL_ADDRESS)
      pMHMsg->seqno = gCurrentSeqNo++;
    pMHMsg->sourceaddr = TOS_LOCAL_ADDRESS;
    Msg->addr = gpCurrentParent->id;
    return Result;
  }
  command result_t RouteSelect.initializeFields(TOS_MsgPtr Msg, uint8_t id) {
    TOS_MHopMsg *pMHMsg = (TOS_MHopMsg *)&Msg->data[0];
    pMHMsg->sourceaddr = pMHMsg->originaddr = TOS_LOCAL_ADDRESS;
    pMHMsg->hopcount = ROUTE_INVALID;
    pMHMsg->seqno = gCurrentSeqNo++;
    return SUCCESS;
  }
  event result_t Timer.fired() {
    post TimerTask();
    return SUCCESS;
  }
  event TOS_MsgPtr ReceiveMsg.receive(TOS_MsgPtr Msg) {
    TOS_MHopMsg *pMHMsg = (TOS_MHopMsg *)&Msg->data[0];
    RoutePacket *pRP = (RoutePacket *)&pMHMsg->data[0];
    uint8_t i, index = findEntry(pMHMsg->sourceaddr);
    if (index == ROUTE_INVALID) {
      index = findEntryToBeReplaced();
      newEntry(index, pMHMsg->sourceaddr);
      NeighborTbl[index].lastSeqno = pMHMsg->seqno;
    } else {
      int16_t sDelta = pMHMsg->seqno - NeighborTbl[index].lastSeqno - 1;
      NeighborTbl[index].flags &= ~NBRFLAG_NEW;
      NeighborTbl[index].received++;
      if (sDelta >= 0)
        NeighborTbl[index].missed += sDelta;
      NeighborTbl[index].lastSeqno = pMHMsg->seqno;
    }
    NeighborTbl[index].parent = pRP->parent;
    NeighborTbl[index].cost = pRP->cost;
    for (i = 0; i < pRP->estEntries && i < 1; i++)
      if (pRP->estList[i].id == TOS_LOCAL_ADDRESS)
        NeighborTbl[index].sendEst = pRP->estList[i].receiveEst;
    return Msg;
  }
  event result_t SendMsg.sendDone(TOS_MsgPtr pMsg, result_t success) {
    gfSendRouteBusy = FALSE;
    return SUCCESS;
  }
}
