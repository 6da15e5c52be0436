// Written by tests/golden.rs; do not edit. What the engine gives, under the types of js/types.ts.
import type {
  Actor,
  Change,
  Command,
  Detail,
  Explanation,
  Operation,
  Panel,
  Progress,
  RowLine,
  Rules,
  Task,
  TaskErrorCode,
  TaskErrorDetails,
  WouldCycle,
} from "../../js/types.js";

type Refusals = {
  readonly [Code in TaskErrorCode]?: {
    readonly code: Code;
    readonly message: string;
    readonly hint: string;
    readonly details: TaskErrorDetails<Code>;
  };
};

export const scenario = [
  {
    "actor": "host",
    "command": {
      "action": "add",
      "children": "sequence",
      "description": "All of it",
      "id": "plan",
      "metadata": {
        "ticket": 7
      },
      "title": "Plan the release"
    },
    "now": 1720600000000
  },
  {
    "actor": "host",
    "command": {
      "action": "add",
      "activeForm": "Provisioning the dev DB",
      "id": "db",
      "parent": "plan",
      "title": "Provision the dev DB"
    },
    "now": 1720600001000
  },
  {
    "actor": "agent:one",
    "command": {
      "action": "add",
      "blockedBy": [
        "db"
      ],
      "owner": "agent:two",
      "title": "Seed fixtures"
    },
    "now": 1720600002000
  },
  {
    "actor": "host",
    "command": {
      "action": "batch",
      "commands": [
        {
          "action": "add",
          "blockedBy": [
            "docs-key"
          ],
          "key": "smoke",
          "title": "Smoke test"
        },
        {
          "action": "add",
          "id": "docs",
          "key": "docs-key",
          "title": "Write the docs"
        }
      ]
    },
    "now": 1720600003000
  },
  {
    "actor": "host",
    "command": {
      "action": "start",
      "id": "plan"
    },
    "now": 1720600004000
  },
  {
    "actor": "agent:one",
    "command": {
      "action": "claim",
      "id": "db",
      "leaseMs": 60000
    },
    "now": 1720600005000
  },
  {
    "actor": "agent:one",
    "command": {
      "action": "heartbeat",
      "fence": 1,
      "id": "db",
      "leaseMs": 60000
    },
    "now": 1720600006000
  },
  {
    "actor": "host",
    "command": {
      "action": "hold",
      "id": "docs",
      "note": "Ann decides",
      "reason": "gate",
      "resume": "completed"
    },
    "now": 1720600007000
  },
  {
    "actor": "host",
    "command": {
      "action": "add",
      "blockedBy": [
        "docs"
      ],
      "id": "late",
      "title": "Started too early"
    },
    "now": 1720600008000
  },
  {
    "actor": "host",
    "command": {
      "action": "start",
      "id": "late"
    },
    "now": 1720600009000
  },
  {
    "actor": "host",
    "command": {
      "action": "add",
      "id": "old",
      "title": "Given up"
    },
    "now": 1720600010000
  },
  {
    "actor": "host",
    "command": {
      "action": "cancel",
      "id": "old"
    },
    "now": 1720600011000
  },
  {
    "actor": "host",
    "command": {
      "action": "add",
      "id": "gone",
      "title": "Removed"
    },
    "now": 1720600012000
  },
  {
    "actor": "host",
    "command": {
      "action": "remove",
      "id": "gone"
    },
    "now": 1720600013000
  },
  {
    "actor": "host",
    "command": {
      "action": "add",
      "id": "done",
      "status": "completed",
      "title": "Done already"
    },
    "now": 1720600014000
  },
  {
    "actor": "host",
    "command": {
      "action": "complete",
      "id": "done"
    },
    "now": 1720600015000
  },
  {
    "actor": "host",
    "command": {
      "action": "update",
      "id": "late",
      "title": "Started early"
    },
    "now": 1720600016000
  },
  {
    "actor": "host",
    "command": {
      "action": "undo"
    },
    "now": 1720600017000
  },
  {
    "actor": "host",
    "command": {
      "action": "redo"
    },
    "now": 1720600018000
  }
] as const satisfies readonly { readonly actor: Actor; readonly now: number; readonly command: Command }[];

export const rows = [
  {
    "blockedBy": [],
    "children": "sequence",
    "createdAt": 1720600000000,
    "createdBy": "host",
    "description": "All of it",
    "id": "plan",
    "metadata": {
      "ticket": 7
    },
    "readiness": "running",
    "seq": 1,
    "startedAt": 1720600004000,
    "status": "in_progress",
    "title": "Plan the release",
    "updatedAt": 1720600004000
  },
  {
    "activeForm": "Provisioning the dev DB",
    "blockedBy": [],
    "claim": {
      "fence": 1,
      "leaseUntil": 1720600066000
    },
    "createdAt": 1720600001000,
    "createdBy": "host",
    "id": "db",
    "owner": "agent:one",
    "parent": "plan",
    "readiness": "running",
    "seq": 2,
    "startedAt": 1720600005000,
    "status": "in_progress",
    "title": "Provision the dev DB",
    "updatedAt": 1720600006000
  },
  {
    "blockedBy": [
      "db"
    ],
    "createdAt": 1720600002000,
    "createdBy": "agent:one",
    "id": "t_1720600002000_cw38vwoa",
    "owner": "agent:two",
    "readiness": "blocked",
    "seq": 3,
    "status": "pending",
    "title": "Seed fixtures",
    "updatedAt": 1720600002000
  },
  {
    "blockedBy": [
      "docs"
    ],
    "createdAt": 1720600003000,
    "createdBy": "host",
    "id": "t_1720600003000_vu4mweoy",
    "readiness": "blocked",
    "seq": 4,
    "status": "pending",
    "title": "Smoke test",
    "updatedAt": 1720600003000
  },
  {
    "blockedBy": [],
    "createdAt": 1720600003000,
    "createdBy": "host",
    "hold": {
      "at": 1720600007000,
      "note": "Ann decides",
      "reason": "gate",
      "resume": "completed"
    },
    "id": "docs",
    "readiness": "held",
    "seq": 5,
    "status": "held",
    "title": "Write the docs",
    "updatedAt": 1720600007000
  },
  {
    "blockedBy": [
      "docs"
    ],
    "createdAt": 1720600008000,
    "createdBy": "host",
    "id": "late",
    "readiness": "running",
    "seq": 6,
    "startedAt": 1720600009000,
    "status": "in_progress",
    "title": "Started early",
    "updatedAt": 1720600018000
  },
  {
    "blockedBy": [],
    "createdAt": 1720600010000,
    "createdBy": "host",
    "id": "old",
    "readiness": "settled",
    "seq": 7,
    "status": "cancelled",
    "title": "Given up",
    "updatedAt": 1720600011000
  },
  {
    "blockedBy": [],
    "createdAt": 1720600012000,
    "createdBy": "host",
    "id": "gone",
    "readiness": "settled",
    "seq": 8,
    "status": "deleted",
    "title": "Removed",
    "updatedAt": 1720600013000
  },
  {
    "blockedBy": [],
    "completedAt": 1720600014000,
    "createdAt": 1720600014000,
    "createdBy": "host",
    "id": "done",
    "readiness": "settled",
    "seq": 9,
    "status": "completed",
    "title": "Done already",
    "updatedAt": 1720600014000
  }
] as const satisfies readonly Task[];

export const changes = [
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [
      {
        "blockedBy": [],
        "children": "sequence",
        "createdAt": 1720600000000,
        "createdBy": "host",
        "description": "All of it",
        "id": "plan",
        "metadata": {
          "ticket": 7
        },
        "readiness": "ready",
        "seq": 1,
        "status": "pending",
        "title": "Plan the release",
        "updatedAt": 1720600000000
      }
    ],
    "revision": 1,
    "task": {
      "blockedBy": [],
      "children": "sequence",
      "createdAt": 1720600000000,
      "createdBy": "host",
      "description": "All of it",
      "id": "plan",
      "metadata": {
        "ticket": 7
      },
      "readiness": "ready",
      "seq": 1,
      "status": "pending",
      "title": "Plan the release",
      "updatedAt": 1720600000000
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [
      {
        "activeForm": "Provisioning the dev DB",
        "blockedBy": [],
        "createdAt": 1720600001000,
        "createdBy": "host",
        "id": "db",
        "parent": "plan",
        "readiness": "blocked",
        "seq": 2,
        "status": "pending",
        "title": "Provision the dev DB",
        "updatedAt": 1720600001000
      }
    ],
    "nowReady": [],
    "revision": 2,
    "task": {
      "activeForm": "Provisioning the dev DB",
      "blockedBy": [],
      "createdAt": 1720600001000,
      "createdBy": "host",
      "id": "db",
      "parent": "plan",
      "readiness": "blocked",
      "seq": 2,
      "status": "pending",
      "title": "Provision the dev DB",
      "updatedAt": 1720600001000
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [
      {
        "blockedBy": [
          "db"
        ],
        "createdAt": 1720600002000,
        "createdBy": "agent:one",
        "id": "t_1720600002000_cw38vwoa",
        "owner": "agent:two",
        "readiness": "blocked",
        "seq": 3,
        "status": "pending",
        "title": "Seed fixtures",
        "updatedAt": 1720600002000
      }
    ],
    "nowReady": [],
    "revision": 3,
    "task": {
      "blockedBy": [
        "db"
      ],
      "createdAt": 1720600002000,
      "createdBy": "agent:one",
      "id": "t_1720600002000_cw38vwoa",
      "owner": "agent:two",
      "readiness": "blocked",
      "seq": 3,
      "status": "pending",
      "title": "Seed fixtures",
      "updatedAt": 1720600002000
    }
  },
  {
    "action": "batch",
    "changed": true,
    "keys": {
      "docs-key": "docs",
      "smoke": "t_1720600003000_vu4mweoy"
    },
    "nowBlocked": [
      {
        "blockedBy": [
          "docs"
        ],
        "createdAt": 1720600003000,
        "createdBy": "host",
        "id": "t_1720600003000_vu4mweoy",
        "readiness": "blocked",
        "seq": 4,
        "status": "pending",
        "title": "Smoke test",
        "updatedAt": 1720600003000
      }
    ],
    "nowReady": [
      {
        "blockedBy": [],
        "createdAt": 1720600003000,
        "createdBy": "host",
        "id": "docs",
        "readiness": "ready",
        "seq": 5,
        "status": "pending",
        "title": "Write the docs",
        "updatedAt": 1720600003000
      }
    ],
    "revision": 4,
    "tasks": [
      {
        "blockedBy": [
          "docs"
        ],
        "createdAt": 1720600003000,
        "createdBy": "host",
        "id": "t_1720600003000_vu4mweoy",
        "readiness": "blocked",
        "seq": 4,
        "status": "pending",
        "title": "Smoke test",
        "updatedAt": 1720600003000
      },
      {
        "blockedBy": [],
        "createdAt": 1720600003000,
        "createdBy": "host",
        "id": "docs",
        "readiness": "ready",
        "seq": 5,
        "status": "pending",
        "title": "Write the docs",
        "updatedAt": 1720600003000
      }
    ]
  },
  {
    "action": "start",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [
      {
        "activeForm": "Provisioning the dev DB",
        "blockedBy": [],
        "createdAt": 1720600001000,
        "createdBy": "host",
        "id": "db",
        "parent": "plan",
        "readiness": "ready",
        "seq": 2,
        "status": "pending",
        "title": "Provision the dev DB",
        "updatedAt": 1720600001000
      }
    ],
    "revision": 5,
    "task": {
      "blockedBy": [],
      "children": "sequence",
      "createdAt": 1720600000000,
      "createdBy": "host",
      "description": "All of it",
      "id": "plan",
      "metadata": {
        "ticket": 7
      },
      "readiness": "running",
      "seq": 1,
      "startedAt": 1720600004000,
      "status": "in_progress",
      "title": "Plan the release",
      "updatedAt": 1720600004000
    }
  },
  {
    "action": "claim",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 6,
    "task": {
      "activeForm": "Provisioning the dev DB",
      "blockedBy": [],
      "claim": {
        "fence": 1,
        "leaseUntil": 1720600065000
      },
      "createdAt": 1720600001000,
      "createdBy": "host",
      "id": "db",
      "owner": "agent:one",
      "parent": "plan",
      "readiness": "running",
      "seq": 2,
      "startedAt": 1720600005000,
      "status": "in_progress",
      "title": "Provision the dev DB",
      "updatedAt": 1720600005000
    }
  },
  {
    "action": "heartbeat",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 7,
    "task": {
      "activeForm": "Provisioning the dev DB",
      "blockedBy": [],
      "claim": {
        "fence": 1,
        "leaseUntil": 1720600066000
      },
      "createdAt": 1720600001000,
      "createdBy": "host",
      "id": "db",
      "owner": "agent:one",
      "parent": "plan",
      "readiness": "running",
      "seq": 2,
      "startedAt": 1720600005000,
      "status": "in_progress",
      "title": "Provision the dev DB",
      "updatedAt": 1720600006000
    }
  },
  {
    "action": "hold",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 8,
    "task": {
      "blockedBy": [],
      "createdAt": 1720600003000,
      "createdBy": "host",
      "hold": {
        "at": 1720600007000,
        "note": "Ann decides",
        "reason": "gate",
        "resume": "completed"
      },
      "id": "docs",
      "readiness": "held",
      "seq": 5,
      "status": "held",
      "title": "Write the docs",
      "updatedAt": 1720600007000
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [
      {
        "blockedBy": [
          "docs"
        ],
        "createdAt": 1720600008000,
        "createdBy": "host",
        "id": "late",
        "readiness": "blocked",
        "seq": 6,
        "status": "pending",
        "title": "Started too early",
        "updatedAt": 1720600008000
      }
    ],
    "nowReady": [],
    "revision": 9,
    "task": {
      "blockedBy": [
        "docs"
      ],
      "createdAt": 1720600008000,
      "createdBy": "host",
      "id": "late",
      "readiness": "blocked",
      "seq": 6,
      "status": "pending",
      "title": "Started too early",
      "updatedAt": 1720600008000
    }
  },
  {
    "action": "start",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 10,
    "task": {
      "blockedBy": [
        "docs"
      ],
      "createdAt": 1720600008000,
      "createdBy": "host",
      "id": "late",
      "readiness": "running",
      "seq": 6,
      "startedAt": 1720600009000,
      "status": "in_progress",
      "title": "Started too early",
      "updatedAt": 1720600009000
    },
    "warning": {
      "by": [
        "docs"
      ],
      "code": "blocked",
      "message": "Task `late` still waits for `docs`."
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [
      {
        "blockedBy": [],
        "createdAt": 1720600010000,
        "createdBy": "host",
        "id": "old",
        "readiness": "ready",
        "seq": 7,
        "status": "pending",
        "title": "Given up",
        "updatedAt": 1720600010000
      }
    ],
    "revision": 11,
    "task": {
      "blockedBy": [],
      "createdAt": 1720600010000,
      "createdBy": "host",
      "id": "old",
      "readiness": "ready",
      "seq": 7,
      "status": "pending",
      "title": "Given up",
      "updatedAt": 1720600010000
    }
  },
  {
    "action": "cancel",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 12,
    "task": {
      "blockedBy": [],
      "createdAt": 1720600010000,
      "createdBy": "host",
      "id": "old",
      "readiness": "settled",
      "seq": 7,
      "status": "cancelled",
      "title": "Given up",
      "updatedAt": 1720600011000
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [
      {
        "blockedBy": [],
        "createdAt": 1720600012000,
        "createdBy": "host",
        "id": "gone",
        "readiness": "ready",
        "seq": 8,
        "status": "pending",
        "title": "Removed",
        "updatedAt": 1720600012000
      }
    ],
    "revision": 13,
    "task": {
      "blockedBy": [],
      "createdAt": 1720600012000,
      "createdBy": "host",
      "id": "gone",
      "readiness": "ready",
      "seq": 8,
      "status": "pending",
      "title": "Removed",
      "updatedAt": 1720600012000
    }
  },
  {
    "action": "remove",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 14,
    "task": {
      "blockedBy": [],
      "createdAt": 1720600012000,
      "createdBy": "host",
      "id": "gone",
      "readiness": "settled",
      "seq": 8,
      "status": "deleted",
      "title": "Removed",
      "updatedAt": 1720600013000
    }
  },
  {
    "action": "add",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 15,
    "task": {
      "blockedBy": [],
      "completedAt": 1720600014000,
      "createdAt": 1720600014000,
      "createdBy": "host",
      "id": "done",
      "readiness": "settled",
      "seq": 9,
      "status": "completed",
      "title": "Done already",
      "updatedAt": 1720600014000
    }
  },
  {
    "action": "complete",
    "changed": false,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 15,
    "task": {
      "blockedBy": [],
      "completedAt": 1720600014000,
      "createdAt": 1720600014000,
      "createdBy": "host",
      "id": "done",
      "readiness": "settled",
      "seq": 9,
      "status": "completed",
      "title": "Done already",
      "updatedAt": 1720600014000
    }
  },
  {
    "action": "update",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 16,
    "task": {
      "blockedBy": [
        "docs"
      ],
      "createdAt": 1720600008000,
      "createdBy": "host",
      "id": "late",
      "readiness": "running",
      "seq": 6,
      "startedAt": 1720600009000,
      "status": "in_progress",
      "title": "Started early",
      "updatedAt": 1720600016000
    }
  },
  {
    "action": "undo",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 17
  },
  {
    "action": "redo",
    "changed": true,
    "nowBlocked": [],
    "nowReady": [],
    "revision": 18
  }
] as const satisfies readonly Change[];

export const refusals = {
  "blocked": {
    "code": "blocked",
    "details": {
      "by": [
        "a"
      ],
      "id": "b"
    },
    "hint": "Do those first, or change `blockedBy`.",
    "message": "Task `b` still waits for `a`."
  },
  "children_open": {
    "code": "children_open",
    "details": {
      "id": "a",
      "open": [
        "c"
      ]
    },
    "hint": "Complete or cancel its steps first.",
    "message": "Task `a` has open steps: `c`."
  },
  "corrupt": {
    "code": "corrupt",
    "details": {
      "at": 9
    },
    "hint": "Restore the file from a copy; nothing was written to it.",
    "message": "The text is not a task list: a list was expected at byte 9."
  },
  "cycle": {
    "code": "cycle",
    "details": {
      "kinds": [
        "edge",
        "edge"
      ],
      "path": [
        "a",
        "b",
        "a"
      ],
      "titles": [
        "a",
        "b",
        "a"
      ]
    },
    "hint": "Leave out one of these dependencies.",
    "message": "This would make a ring in which nothing could ever start: `a` → `b` → `a`."
  },
  "duplicate_id": {
    "code": "duplicate_id",
    "details": {
      "id": "a"
    },
    "hint": "Update that task, choose another id, or leave `id` out.",
    "message": "There is a task `a` already."
  },
  "feature_off": {
    "code": "feature_off",
    "details": {
      "feature": "dependencies"
    },
    "hint": "Call again without `blockedBy`.",
    "message": "This list has `dependencies` switched off."
  },
  "held": {
    "code": "held",
    "details": {
      "id": "a",
      "reason": "manual",
      "who": "a person (host or user:…)"
    },
    "hint": "A person (host or user:…) must release it first.",
    "message": "Task `a` is held (manual)."
  },
  "invalid_transition": {
    "code": "invalid_transition",
    "details": {
      "from": "deleted",
      "id": "a",
      "to": "completed"
    },
    "hint": "Reopen it first.",
    "message": "Task `a` is deleted and cannot become completed this way."
  },
  "invalid_value": {
    "code": "invalid_value",
    "details": {
      "expected": "text",
      "field": "title",
      "got": "a number"
    },
    "hint": "Call again with `title` as text.",
    "message": "`title` is a number, but it must be text."
  },
  "limit": {
    "code": "limit",
    "details": {
      "limit": "tasks",
      "max": 1
    },
    "hint": "Make it smaller, or split it.",
    "message": "The limit of 1 for tasks would be passed."
  },
  "missing_field": {
    "code": "missing_field",
    "details": {
      "field": "title"
    },
    "hint": "Call again with `title`.",
    "message": "`title` is required and must not be blank."
  },
  "not_found": {
    "code": "not_found",
    "details": {
      "didYouMean": "task",
      "id": "tsk"
    },
    "hint": "Did you mean `task`? Ids, not titles, name tasks.",
    "message": "There is no task `tsk`."
  },
  "not_holder": {
    "code": "not_holder",
    "details": {
      "holder": "host",
      "id": "a"
    },
    "hint": "Claim another task.",
    "message": "Task `a` is claimed by host."
  },
  "nothing_to_change": {
    "code": "nothing_to_change",
    "details": {},
    "hint": "Give at least one of title, description, activeForm, status, blockedBy, addBlockedBy, removeBlockedBy, parent, children, owner, metadata.",
    "message": "The update names no field to change."
  },
  "rules_differ": {
    "code": "rules_differ",
    "details": {
      "asked": false,
      "field": "strict",
      "stored": true
    },
    "hint": "Open it with its own rules, or with `adopt: true` to change them.",
    "message": "The list's rule `strict` is true, not false."
  },
  "self_block": {
    "code": "self_block",
    "details": {
      "id": "a"
    },
    "hint": "Leave its own id out of `blockedBy`.",
    "message": "Task `a` cannot wait for itself."
  },
  "undo_conflict": {
    "code": "undo_conflict",
    "details": {
      "field": "status",
      "id": "a"
    },
    "hint": "Make the change that you want directly.",
    "message": "Task `a` has changed since (status), so this cannot be taken back."
  },
  "unknown_blocker": {
    "code": "unknown_blocker",
    "details": {
      "blocker": "tsk",
      "didYouMean": "task",
      "id": "b"
    },
    "hint": "Did you mean `task`? `blockedBy` takes ids, not titles.",
    "message": "`blockedBy` names `tsk`, and there is no such task."
  },
  "unknown_field": {
    "code": "unknown_field",
    "details": {
      "didYouMean": "title",
      "field": "titel"
    },
    "hint": "Did you mean `title`?",
    "message": "There is no argument `titel` here."
  },
  "unsupported_version": {
    "code": "unsupported_version",
    "details": {
      "found": 2,
      "supported": 1
    },
    "hint": "Open it with a newer version of blockedby; nothing was written to it.",
    "message": "The text is of version 2 of the format; this engine reads version 1."
  }
} as const satisfies Refusals;

export const explanations = [
  {
    "blockers": [],
    "chains": [],
    "id": "plan",
    "openChildren": [
      "db"
    ],
    "readiness": "running",
    "rootCauses": [],
    "sentence": "`plan` is running; before it can be completed, its steps must settle: `db` (Provision the dev DB, running).",
    "stalled": false,
    "status": "in_progress",
    "title": "Plan the release",
    "waiting": 0
  },
  {
    "blockers": [],
    "chains": [],
    "id": "db",
    "openChildren": [],
    "readiness": "running",
    "rootCauses": [],
    "sentence": "`db` is running.",
    "stalled": false,
    "status": "in_progress",
    "title": "Provision the dev DB",
    "waiting": 1
  },
  {
    "blockers": [
      {
        "id": "db",
        "kind": "edge",
        "readiness": "running",
        "status": "in_progress",
        "title": "Provision the dev DB"
      }
    ],
    "chains": [
      [
        "t_1720600002000_cw38vwoa",
        "db"
      ]
    ],
    "id": "t_1720600002000_cw38vwoa",
    "openChildren": [],
    "readiness": "blocked",
    "rootCauses": [
      "db"
    ],
    "sentence": "`t_1720600002000_cw38vwoa` is blocked; it waits for `db` (Provision the dev DB, running).",
    "stalled": false,
    "status": "pending",
    "title": "Seed fixtures",
    "waiting": 0
  },
  {
    "blockers": [
      {
        "id": "docs",
        "kind": "edge",
        "readiness": "held",
        "status": "held",
        "title": "Write the docs"
      }
    ],
    "chains": [
      [
        "t_1720600003000_vu4mweoy",
        "docs"
      ]
    ],
    "id": "t_1720600003000_vu4mweoy",
    "openChildren": [],
    "readiness": "blocked",
    "rootCauses": [
      "docs"
    ],
    "sentence": "`t_1720600003000_vu4mweoy` is blocked; it waits for `docs` (Write the docs, held); it is stalled until that is released.",
    "stalled": true,
    "status": "pending",
    "title": "Smoke test",
    "waiting": 0
  },
  {
    "blockers": [],
    "chains": [],
    "id": "docs",
    "openChildren": [],
    "readiness": "held",
    "rootCauses": [],
    "sentence": "`docs` is held (gate); a person must release it.",
    "stalled": false,
    "status": "held",
    "title": "Write the docs",
    "waiting": 2
  },
  {
    "blockers": [
      {
        "id": "docs",
        "kind": "edge",
        "readiness": "held",
        "status": "held",
        "title": "Write the docs"
      }
    ],
    "chains": [
      [
        "late",
        "docs"
      ]
    ],
    "id": "late",
    "openChildren": [],
    "readiness": "running",
    "rootCauses": [
      "docs"
    ],
    "sentence": "`late` is running; it waits for `docs` (Write the docs, held).",
    "stalled": false,
    "status": "in_progress",
    "title": "Started early",
    "waiting": 0
  },
  {
    "blockers": [],
    "chains": [],
    "id": "old",
    "openChildren": [],
    "readiness": "settled",
    "rootCauses": [],
    "sentence": "`old` is settled.",
    "stalled": false,
    "status": "cancelled",
    "title": "Given up",
    "waiting": 0
  },
  {
    "blockers": [],
    "chains": [],
    "id": "gone",
    "openChildren": [],
    "readiness": "settled",
    "rootCauses": [],
    "sentence": "`gone` is settled.",
    "stalled": false,
    "status": "deleted",
    "title": "Removed",
    "waiting": 0
  },
  {
    "blockers": [],
    "chains": [],
    "id": "done",
    "openChildren": [],
    "readiness": "settled",
    "rootCauses": [],
    "sentence": "`done` is settled.",
    "stalled": false,
    "status": "completed",
    "title": "Done already",
    "waiting": 0
  }
] as const satisfies readonly Explanation[];

export const progress = {
  "blocked": 3,
  "cancelled": 1,
  "completed": 1,
  "deleted": 1,
  "done": 0.14285714285714285,
  "held": 1,
  "pending": 2,
  "ready": 0,
  "running": 3,
  "total": 8
} as const satisfies Progress;

export const wouldCycle = [
  {
    "cycle": true,
    "path": [
      "docs",
      "late",
      "docs"
    ]
  },
  {
    "cycle": false
  }
] as const satisfies readonly WouldCycle[];

export const panel = {
  "completed": 1,
  "entries": [
    {
      "blocked": false,
      "id": "plan",
      "label": "Plan the release",
      "status": "in_progress"
    },
    {
      "blocked": false,
      "id": "db",
      "label": "Provisioning the dev DB",
      "status": "in_progress"
    },
    {
      "blocked": true,
      "id": "late",
      "label": "Started early",
      "status": "in_progress"
    },
    {
      "blocked": true,
      "id": "t_1720600002000_cw38vwoa",
      "label": "Seed fixtures",
      "status": "pending"
    },
    {
      "blocked": true,
      "id": "t_1720600003000_vu4mweoy",
      "label": "Smoke test",
      "status": "pending"
    },
    {
      "blocked": false,
      "hold": "gate",
      "id": "docs",
      "label": "Write the docs",
      "status": "held"
    }
  ],
  "hidden": false,
  "more": 0,
  "total": 7
} as const satisfies Panel;

export const details = [
  {
    "blockedBy": [],
    "blocks": [
      {
        "active": true,
        "id": "t_1720600003000_vu4mweoy",
        "status": "pending",
        "title": "Smoke test"
      },
      {
        "active": true,
        "id": "late",
        "status": "in_progress",
        "title": "Started early"
      }
    ],
    "description": "",
    "id": "docs",
    "status": "held",
    "title": "Write the docs",
    "why": {
      "blockers": [],
      "chains": [],
      "id": "docs",
      "openChildren": [],
      "readiness": "held",
      "rootCauses": [],
      "sentence": "`docs` is held (gate); a person must release it.",
      "stalled": false,
      "status": "held",
      "title": "Write the docs",
      "waiting": 2
    }
  },
  {
    "blockedBy": [],
    "blocks": [
      {
        "active": true,
        "id": "t_1720600002000_cw38vwoa",
        "status": "pending",
        "title": "Seed fixtures"
      }
    ],
    "description": "",
    "id": "db",
    "status": "in_progress",
    "title": "Provision the dev DB",
    "why": {
      "blockers": [],
      "chains": [],
      "id": "db",
      "openChildren": [],
      "readiness": "running",
      "rootCauses": [],
      "sentence": "`db` is running.",
      "stalled": false,
      "status": "in_progress",
      "title": "Provision the dev DB",
      "waiting": 1
    }
  }
] as const satisfies readonly Detail[];

export const rowLines = [
  {
    "id": "plan",
    "line": "plan · in_progress · Plan the release",
    "readiness": "running",
    "status": "in_progress",
    "title": "Plan the release"
  },
  {
    "id": "db",
    "line": "db · in_progress · Provision the dev DB",
    "readiness": "running",
    "status": "in_progress",
    "title": "Provision the dev DB"
  },
  {
    "id": "t_1720600002000_cw38vwoa",
    "line": "t_1720600002000_cw38vwoa · pending (blocked) · Seed fixtures",
    "readiness": "blocked",
    "status": "pending",
    "title": "Seed fixtures"
  },
  {
    "id": "t_1720600003000_vu4mweoy",
    "line": "t_1720600003000_vu4mweoy · pending (blocked) · Smoke test",
    "readiness": "blocked",
    "status": "pending",
    "title": "Smoke test"
  },
  {
    "id": "docs",
    "line": "docs · held · Write the docs",
    "readiness": "held",
    "status": "held",
    "title": "Write the docs"
  },
  {
    "id": "late",
    "line": "late · in_progress · Started early",
    "readiness": "running",
    "status": "in_progress",
    "title": "Started early"
  },
  {
    "id": "old",
    "line": "old · cancelled · Given up",
    "readiness": "settled",
    "status": "cancelled",
    "title": "Given up"
  },
  {
    "id": "gone",
    "line": "gone · deleted · Removed",
    "readiness": "settled",
    "status": "deleted",
    "title": "Removed"
  },
  {
    "id": "done",
    "line": "done · completed · Done already",
    "readiness": "settled",
    "status": "completed",
    "title": "Done already"
  }
] as const satisfies readonly RowLine[];

export const operations = [
  {
    "action": "add",
    "actor": "host",
    "at": 1720600000000,
    "events": [
      {
        "create": {
          "createdAt": 1720600000000,
          "createdBy": "host",
          "description": "All of it",
          "id": "plan",
          "seq": 1,
          "status": "pending",
          "title": "Plan the release",
          "updatedAt": 1720600000000
        }
      },
      {
        "extra": 1,
        "new": {
          "children": "sequence",
          "metadata": {
            "ticket": 7
          }
        },
        "old": null
      }
    ],
    "id": "sdhy9sy4zy.1",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "host",
    "at": 1720600001000,
    "events": [
      {
        "create": {
          "activeForm": "Provisioning the dev DB",
          "createdAt": 1720600001000,
          "createdBy": "host",
          "id": "db",
          "seq": 2,
          "status": "pending",
          "title": "Provision the dev DB",
          "updatedAt": 1720600001000
        }
      },
      {
        "new": 1,
        "old": null,
        "parent": 2
      }
    ],
    "id": "sdhy9sy4zy.2",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "agent:one",
    "at": 1720600002000,
    "events": [
      {
        "create": {
          "createdAt": 1720600002000,
          "createdBy": "agent:one",
          "id": "t_1720600002000_cw38vwoa",
          "seq": 3,
          "status": "pending",
          "title": "Seed fixtures",
          "updatedAt": 1720600002000
        }
      },
      {
        "extra": 3,
        "new": {
          "owner": "agent:two"
        },
        "old": null
      },
      {
        "blockedBy": 3,
        "new": [
          2
        ],
        "old": []
      }
    ],
    "id": "sdhy9sy4zy.3",
    "role": "plain"
  },
  {
    "action": "batch",
    "actor": "host",
    "at": 1720600003000,
    "events": [
      {
        "create": {
          "createdAt": 1720600003000,
          "createdBy": "host",
          "id": "t_1720600003000_vu4mweoy",
          "seq": 4,
          "status": "pending",
          "title": "Smoke test",
          "updatedAt": 1720600003000
        }
      },
      {
        "create": {
          "createdAt": 1720600003000,
          "createdBy": "host",
          "id": "docs",
          "seq": 5,
          "status": "pending",
          "title": "Write the docs",
          "updatedAt": 1720600003000
        }
      },
      {
        "blockedBy": 4,
        "new": [
          5
        ],
        "old": []
      }
    ],
    "id": "sdhy9sy4zy.4",
    "role": "plain"
  },
  {
    "action": "start",
    "actor": "host",
    "at": 1720600004000,
    "events": [
      {
        "new": [
          "in_progress",
          1720600004000,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 1
      },
      {
        "new": 1720600004000,
        "old": 1720600000000,
        "updated": 1
      }
    ],
    "id": "sdhy9sy4zy.5",
    "role": "plain"
  },
  {
    "action": "claim",
    "actor": "agent:one",
    "at": 1720600005000,
    "events": [
      {
        "count": "fence",
        "new": 1,
        "old": 0
      },
      {
        "new": [
          "in_progress",
          1720600005000,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 2
      },
      {
        "new": 1720600005000,
        "old": 1720600001000,
        "updated": 2
      },
      {
        "extra": 2,
        "new": {
          "claim": {
            "fence": 1,
            "leaseUntil": 1720600065000
          },
          "owner": "agent:one"
        },
        "old": null
      }
    ],
    "id": "sdhy9sy4zy.6",
    "role": "plain"
  },
  {
    "action": "heartbeat",
    "actor": "agent:one",
    "at": 1720600006000,
    "events": [
      {
        "new": 1720600006000,
        "old": 1720600005000,
        "updated": 2
      },
      {
        "extra": 2,
        "new": {
          "claim": {
            "fence": 1,
            "leaseUntil": 1720600066000
          },
          "owner": "agent:one"
        },
        "old": {
          "claim": {
            "fence": 1,
            "leaseUntil": 1720600065000
          },
          "owner": "agent:one"
        }
      }
    ],
    "id": "sdhy9sy4zy.7",
    "role": "fixed"
  },
  {
    "action": "hold",
    "actor": "host",
    "at": 1720600007000,
    "events": [
      {
        "new": [
          "held",
          0,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 5
      },
      {
        "new": 1720600007000,
        "old": 1720600003000,
        "updated": 5
      },
      {
        "extra": 5,
        "new": {
          "hold": {
            "at": 1720600007000,
            "note": "Ann decides",
            "reason": "gate",
            "resume": "completed"
          }
        },
        "old": null
      }
    ],
    "id": "sdhy9sy4zy.8",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "host",
    "at": 1720600008000,
    "events": [
      {
        "create": {
          "createdAt": 1720600008000,
          "createdBy": "host",
          "id": "late",
          "seq": 6,
          "status": "pending",
          "title": "Started too early",
          "updatedAt": 1720600008000
        }
      },
      {
        "blockedBy": 6,
        "new": [
          5
        ],
        "old": []
      }
    ],
    "id": "sdhy9sy4zy.9",
    "role": "plain"
  },
  {
    "action": "start",
    "actor": "host",
    "at": 1720600009000,
    "events": [
      {
        "new": [
          "in_progress",
          1720600009000,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 6
      },
      {
        "new": 1720600009000,
        "old": 1720600008000,
        "updated": 6
      }
    ],
    "id": "sdhy9sy4zy.10",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "host",
    "at": 1720600010000,
    "events": [
      {
        "create": {
          "createdAt": 1720600010000,
          "createdBy": "host",
          "id": "old",
          "seq": 7,
          "status": "pending",
          "title": "Given up",
          "updatedAt": 1720600010000
        }
      }
    ],
    "id": "sdhy9sy4zy.11",
    "role": "plain"
  },
  {
    "action": "cancel",
    "actor": "host",
    "at": 1720600011000,
    "events": [
      {
        "new": [
          "cancelled",
          0,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 7
      },
      {
        "new": 1720600011000,
        "old": 1720600010000,
        "updated": 7
      }
    ],
    "id": "sdhy9sy4zy.12",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "host",
    "at": 1720600012000,
    "events": [
      {
        "create": {
          "createdAt": 1720600012000,
          "createdBy": "host",
          "id": "gone",
          "seq": 8,
          "status": "pending",
          "title": "Removed",
          "updatedAt": 1720600012000
        }
      }
    ],
    "id": "sdhy9sy4zy.13",
    "role": "plain"
  },
  {
    "action": "remove",
    "actor": "host",
    "at": 1720600013000,
    "events": [
      {
        "new": [
          "deleted",
          0,
          0
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 8
      },
      {
        "new": 1720600013000,
        "old": 1720600012000,
        "updated": 8
      }
    ],
    "id": "sdhy9sy4zy.14",
    "role": "plain"
  },
  {
    "action": "add",
    "actor": "host",
    "at": 1720600014000,
    "events": [
      {
        "create": {
          "createdAt": 1720600014000,
          "createdBy": "host",
          "id": "done",
          "seq": 9,
          "status": "pending",
          "title": "Done already",
          "updatedAt": 1720600014000
        }
      },
      {
        "new": [
          "completed",
          0,
          1720600014000
        ],
        "old": [
          "pending",
          0,
          0
        ],
        "progress": 9
      }
    ],
    "id": "sdhy9sy4zy.15",
    "role": "plain"
  },
  {
    "action": "update",
    "actor": "host",
    "at": 1720600016000,
    "events": [
      {
        "new": {
          "title": "Started early"
        },
        "old": {
          "title": "Started too early"
        },
        "text": 6
      },
      {
        "new": 1720600016000,
        "old": 1720600009000,
        "updated": 6
      }
    ],
    "id": "sdhy9sy4zy.17",
    "role": "plain"
  },
  {
    "action": "undo",
    "actor": "host",
    "at": 1720600017000,
    "events": [
      {
        "new": {
          "title": "Started too early"
        },
        "old": {
          "title": "Started early"
        },
        "text": 6
      },
      {
        "new": 1720600017000,
        "old": 1720600016000,
        "updated": 6
      }
    ],
    "id": "sdhy9sy4zy.18",
    "role": "undo"
  },
  {
    "action": "redo",
    "actor": "host",
    "at": 1720600018000,
    "events": [
      {
        "new": {
          "title": "Started early"
        },
        "old": {
          "title": "Started too early"
        },
        "text": 6
      },
      {
        "new": 1720600018000,
        "old": 1720600017000,
        "updated": 6
      }
    ],
    "id": "sdhy9sy4zy.19",
    "role": "redo"
  }
] as const satisfies readonly Operation[];

export const rules = {
  "children": "group",
  "dependencies": true,
  "depth": 64,
  "maxTasks": null,
  "mode": "simple",
  "onComplete": "keep",
  "revise": true,
  "staleAfter": null,
  "strict": false
} as const satisfies Rules;
