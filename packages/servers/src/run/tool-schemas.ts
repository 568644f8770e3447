/** The shapes in which the run server takes files and tells what a run came to. */

export const FILES = {
  type: 'array',
  maxItems: 10_000,
  description: 'Files that the program finds in its folder',
  items: {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, maxLength: 200, description: 'Relative, such as data/in.csv' },
      text: { type: 'string', description: 'What is in it' },
    },
    required: ['path', 'text'],
    additionalProperties: false,
  },
} as const

export const SESSION = {
  type: 'string',
  pattern: '^[\\w.-]{1,64}$',
  description: 'Any name: files stay for the next run that gives it',
} as const

export const RESULT = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'Whether it came to its end without a failure' },
    ending: {
      type: 'string',
      enum: ['finished', 'failed', 'time', 'memory', 'machine', 'output'],
      description: 'How it ended; the last four are the bound that was met, or that the machine was short of memory',
    },
    exitCode: { type: ['integer', 'null'], description: 'Null where there is none' },
    stdout: { type: 'string', description: 'What it printed' },
    stderr: { type: 'string', description: 'What it complained of' },
    value: { type: 'string', description: 'What JavaScript code came to' },
    files: {
      type: 'array',
      description: 'Files that are new or changed',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          bytes: { type: 'integer' },
          uri: { type: 'string', description: 'Reads the whole file' },
          text: { type: 'string', description: 'What is in it, where it is short text' },
        },
        required: ['path', 'bytes', 'uri'],
      },
    },
    note: { type: 'string', description: 'What to know about how it ended' },
    durationMs: { type: 'integer' },
    sandbox: { type: 'string', description: 'What programs of this machine run in' },
    uri: { type: 'string', description: 'Reads this run again' },
  },
  required: ['ok', 'ending', 'exitCode', 'stdout', 'stderr', 'files', 'durationMs', 'sandbox', 'uri'],
} as const

export const ISOLATION = {
  type: 'object',
  properties: {
    javascript: { type: 'string' },
    typescript: { type: 'string' },
    python: { type: 'string' },
    commands: { type: 'string' },
    packages: { type: 'string' },
    sandbox: { type: 'string', enum: ['bubblewrap', 'namespaces', 'none', 'refused'] },
    limits: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['javascript', 'typescript', 'python', 'commands', 'packages', 'sandbox', 'limits'],
} as const
