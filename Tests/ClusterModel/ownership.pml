/*
 * The ownership of shards by nodes that share a database: join, claim, move, resolve and late batches.
 *
 * A step is one statement of a transaction, or one action of a node. There is no clock: the lease of a node may expire
 * at any moment, so that what holds here holds whatever clocks do. Any session can stall for any time, and any reply
 * can be lost. Each shard has one device, whose entries have sequences from 1.
 *
 * Each of these switches plants a mistake, which the assertions must find:
 * NO_FENCE                 a claim leaves the lanes of the dead node
 * NO_WAIT                  a claim does not wait for a batch that is being committed
 * RESOLVE_WITHOUT_ADVANCE  a resolution reads the lane's row, and does not move it on
 * BLIND_RETRY              a batch in doubt is taken for one that was not written
 * EARLY_RELEASE            a shard is handed over while its last batch is on its way
 * STALE_MAP                a node believes the map of shards instead of asking with a batch of its lane
 */
#define NODES 3
#define SHARDS 2
#define NONE 255

/* The numbers of attempts to write, of claims and of requested moves, over all nodes. */
#ifndef WRITES
#define WRITES 2
#endif
#ifndef CLAIMS
#define CLAIMS 1
#endif
#ifndef MOVES
#define MOVES 1
#endif

/* The tables. A transaction has the lock of a lane from its first statement to its end. */
bool hasNode[NODES];
bool isNodeLocked[NODES];        /* FOR UPDATE, by a claim of the node */
byte isNodeShared[NODES];        /* FOR KEY SHARE, by transactions that give shards to the node */
bool hasLane[NODES];
bool isLaneLocked[NODES];
byte batch[NODES];               /* the number of the last batch */
byte owner[SHARDS];
byte epoch[SHARDS];
byte next[SHARDS];
byte last[SHARDS];               /* the sequence of the last entry */
byte lastEpoch[SHARDS];

/* The results of the attempts to write. */
mtype = { pending, committed, notWritten, fenced };
mtype answer[WRITES];
bool isToldRefused[WRITES];
byte attempts;

byte claims;
byte moves;

inline choose(variable, count) {
  variable = 0;
  do
  :: variable < count - 1 -> variable++
  :: break
  od
}

/* The transaction of a lane that writes an entry. */
proctype Session(byte n; byte number; byte s; byte sequence; byte tenure; byte id) {
  /* The first statement may arrive late, and waits for the lock of the row. */
  atomic {
    !isLaneLocked[n] ->
    if
    :: hasLane[n] && batch[n] == number - 1 -> isLaneLocked[n] = true
    :: else -> answer[id] = fenced; goto end
    fi
  }
  if
  :: atomic { true ->
      isLaneLocked[n] = false;
      batch[n] = number;
      /* Nothing that was reported as refused appears. */
      assert(!isToldRefused[id]);
      /* No entry of another owner is in the way, or was written in a later tenure. */
      assert(sequence == last[s] + 1 && tenure >= lastEpoch[s]);
      last[s] = sequence;
      lastEpoch[s] = tenure;
      answer[id] = committed
    }
  :: atomic { true -> isLaneLocked[n] = false; answer[id] = notWritten }   /* terminated, or a lost connection */
  fi;
end:
  skip
}

/* Whether a batch of the lane succeeds at once: one in doubt, and a claim, have the lock until they end. */
#define canCommit(n) (hasLane[n] && !isLaneLocked[n] && batch[n] == mine)

proctype Node(byte n) {
  bool owns[SHARDS];
  byte tenure[SHARDS];
  byte loaded[SHARDS];           /* the sequence of the device in memory */
  byte mine;                     /* the number of the lane's last batch */
  bool isWaiting;
  bool isInDoubt;
  byte id;                       /* of the batch that is under way */
  byte current;                  /* its shard */
  byte dead;
  byte s;
  byte target;
  bool isWritten;
#ifdef STALE_MAP
  byte seen[SHARDS];
#endif

  atomic { hasNode[n] = true; hasLane[n] = true };                         /* join, at any time */
  do
  /* Acquire: an empty batch, which reads the owners. */
  :: atomic { !isWaiting && !isInDoubt ->
      choose(s, SHARDS);
      if
      :: canCommit(n) && owner[s] == n && (!owns[s] || tenure[s] != epoch[s]) ->
        batch[n]++; mine++;
        owns[s] = true; tenure[s] = epoch[s]; loaded[s] = last[s]
      :: else
      fi;
      s = 0
    }

  /* Hand over: the batch after the last one of the shard, which locks the row of the node that gets it. */
  :: atomic { !isWaiting && !isInDoubt ->
      choose(s, SHARDS);
      if
      :: canCommit(n) && owns[s] && owner[s] == n && next[s] != NONE && hasNode[next[s]] && !isNodeLocked[next[s]] ->
        batch[n]++; mine++;
        owner[s] = next[s]; next[s] = NONE; epoch[s]++; owns[s] = false; tenure[s] = 0; loaded[s] = 0
      :: else
      fi;
      s = 0
    }

#ifdef EARLY_RELEASE
  :: atomic { isWaiting && owns[current] && owner[current] == n && next[current] != NONE &&
      hasNode[next[current]] && !isNodeLocked[next[current]] ->
      owner[current] = next[current]; next[current] = NONE; epoch[current]++; owns[current] = false
    }
#endif

#ifdef STALE_MAP
  /* The node reads the map, which arrives later. */
  :: atomic { !isWaiting && !isInDoubt ->
      choose(s, SHARDS);
      if
      :: owner[s] == n -> seen[s] = epoch[s]
      :: else
      fi;
      s = 0
    }
  :: atomic { !isWaiting && !isInDoubt ->
      choose(s, SHARDS);
      if
      :: seen[s] != 0 && !owns[s] -> owns[s] = true; tenure[s] = seen[s]; loaded[s] = last[s]; seen[s] = 0
      :: else
      fi;
      s = 0
    }
#endif

  /* Write an entry of a device. */
  :: atomic { !isWaiting && !isInDoubt && attempts < WRITES ->
      choose(s, SHARDS);
      if
      :: owns[s] ->
        id = attempts; attempts++; current = s; isWaiting = true;
        run Session(n, mine + 1, s, loaded[s] + 1, tenure[s], id)
      :: else
      fi;
      s = 0
    }
  :: atomic { isWaiting && answer[id] == committed ->
      mine++; loaded[current]++; isWaiting = false; id = 0; current = 0
    }
  :: atomic { isWaiting && answer[id] == notWritten ->
      isToldRefused[id] = true; isWaiting = false; id = 0; current = 0
    }
  :: atomic { isWaiting && answer[id] == fenced -> isToldRefused[id] = true; goto end }
  :: atomic { isWaiting -> isWaiting = false; isInDoubt = true }           /* the connection was lost */

  /* Resolve. */
  :: atomic { isInDoubt && !isLaneLocked[n] ->
      if
      :: !hasLane[n] -> goto end
      :: else
      fi;
#ifdef BLIND_RETRY
      isWritten = false;
#else
      isWritten = (batch[n] == mine + 1);
#endif
#ifndef RESOLVE_WITHOUT_ADVANCE
      batch[n] = batch[n] + 2;
#endif
      mine = batch[n];
      if
      :: isWritten -> loaded[current]++
      :: else -> isToldRefused[id] = true
      fi;
      isInDoubt = false; isWritten = false; id = 0; current = 0
    }

  /* Request a move. */
  :: atomic { moves < MOVES && !isWaiting && !isInDoubt ->
      choose(s, SHARDS);
      choose(target, NODES);
      if
      :: hasNode[target] && !isNodeLocked[target] && owner[s] != target && next[s] != target ->
        next[s] = target; moves++
      :: else
      fi;
      s = 0; target = 0
    }

  /* Claim: the lease of another node has expired. The claimant locks both rows. */
  :: atomic { claims < CLAIMS && !isWaiting && !isInDoubt && hasNode[n] && !isNodeLocked[n] ->
      choose(dead, NODES);
      if
      :: dead != n && hasNode[dead] && !isNodeLocked[dead] && isNodeShared[dead] == 0 ->
        isNodeLocked[dead] = true; isNodeShared[n]++; claims++
      :: else -> dead = 0; goto again
      fi
    };
    /* The deletion of the lane waits for a batch that is being committed, and has the lock until the end. */
    atomic {
#ifndef NO_WAIT
      !isLaneLocked[dead] -> isLaneLocked[dead] = true
#else
      skip
#endif
    };
    /* The statements after it see every committed change. */
    atomic {
      do
      :: s < SHARDS ->
        if
        :: owner[s] == dead -> owner[s] = n; epoch[s]++; next[s] = NONE
        :: owner[s] != dead && next[s] == dead -> next[s] = NONE
        :: else
        fi;
        s++
      :: else -> break
      od;
#ifndef NO_FENCE
      hasLane[dead] = false;
#endif
#ifndef NO_WAIT
      isLaneLocked[dead] = false;
#endif
      hasNode[dead] = false; isNodeLocked[dead] = false; isNodeShared[n]--;
      /* Every shard has an owner that is a node. */
      assert(hasNode[owner[0]] && hasNode[owner[1]]);
      s = 0; dead = 0
    };
again:
    skip
  od;
end:
  skip
}

init {
  atomic {
    byte i;
    for (i : 0 .. NODES - 1) { run Node(i) };
    hasNode[0] = true;
    for (i : 0 .. SHARDS - 1) { owner[i] = 0; epoch[i] = 1; next[i] = NONE };
    for (i : 0 .. WRITES - 1) { answer[i] = pending };
    i = 0
  }
}
