/** Pieces of schema that several tools of the git server share. */

export const REPOSITORY = {
  type: 'string',
  description: 'The name of the repository; may be left out when there is only one',
} as const

export const REVISION = { type: 'string', minLength: 1, maxLength: 300 } as const

export const ANY_PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'A path relative to the repository',
} as const

export const PATHS = {
  type: 'array',
  items: ANY_PATH,
  minItems: 1,
  maxItems: 500,
  description: 'Paths relative to the repository; no patterns',
} as const

export const NEXT_CURSOR = {
  type: 'string',
  description: 'Give this as cursor for the next page; absent on the last',
} as const

export const TRUNCATED = {
  type: 'boolean',
  description: 'Whether the option "maxBytes" or "maxResults" cut it off; ask for one path at a time then',
} as const

export const COMMIT = {
  type: 'object',
  description: 'A commit',
  properties: {
    hash: { type: 'string', description: 'Its full hash' },
    parents: { type: 'array', items: { type: 'string' }, description: 'The hashes of its parents' },
    author: { type: 'string', description: 'Who wrote it' },
    email: { type: 'string', description: 'The author’s address' },
    date: { type: 'string', description: 'When it was written' },
    subject: { type: 'string', description: 'The first line of the message' },
    body: { type: 'string', description: 'The rest of the message' },
  },
  required: ['hash', 'parents', 'author', 'email', 'date', 'subject', 'body'],
  additionalProperties: false,
} as const

export const FILES = {
  type: 'array',
  description: 'How many lines changed in which file; none counted for binary ones',
  items: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file' },
      added: { type: 'integer', description: 'Lines added' },
      removed: { type: 'integer', description: 'Lines removed' },
    },
    required: ['path'],
    additionalProperties: false,
  },
} as const

const CHANGED_PATHS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file' },
      change: {
        enum: ['added', 'modified', 'deleted', 'renamed', 'copied', 'retyped'],
        description: 'What happened to it',
      },
    },
    required: ['path', 'change'],
    additionalProperties: false,
  },
} as const

export const STATUS = {
  type: 'object',
  properties: {
    repository: { type: 'string', description: 'Its name' },
    branch: { type: 'string', description: 'What is checked out; absent when that is no branch' },
    head: { type: 'string', description: 'The commit; absent when there is none yet' },
    upstream: { type: 'string', description: 'The branch it follows' },
    ahead: { type: 'integer', description: 'Commits that the upstream lacks' },
    behind: { type: 'integer', description: 'Commits of the upstream that are missing here' },
    clean: { type: 'boolean', description: 'Nothing staged, changed or untracked' },
    staged: { ...CHANGED_PATHS, description: 'In the next commit' },
    unstaged: { ...CHANGED_PATHS, description: 'Changed, not staged' },
    untracked: { type: 'array', items: { type: 'string' }, description: 'Not known to git; folders end in a slash' },
    conflicted: { type: 'array', items: { type: 'string' }, description: 'To be resolved' },
    truncated: TRUNCATED,
  },
  required: ['repository', 'clean', 'staged', 'unstaged', 'untracked', 'conflicted', 'truncated'],
  additionalProperties: false,
} as const
