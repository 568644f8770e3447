/**
 * What the host refuses to do, as a closed family of errors beside the SDK's. Each says what to do about it; the error
 * page of the docs is made from this table.
 */

/** Every code there is, with what it means. */
export const HOST_ERROR_CODES = {
  denied: 'A rule or a person said no; see `data.rule` and `data.reason`.',
  quarantined: 'The item changed since it was approved and waits for a new approval; see `data.difference`.',
  unavailable: 'The server is not connected; see `data.state` for why and `data.remedy` for what to do.',
  'unknown-server': 'No server of that name is configured.',
  'unknown-item': 'No server has a tool, resource or prompt of that name.',
  'invalid-config': 'A configuration file, or one entry of it, cannot be used; see `data.problems`.',
  'untrusted-config': "A project's own configuration file waits until somebody trusts it.",
  'secret-missing': 'A secret that the configuration refers to is not there.',
  'budget-exhausted': 'A budget of steps, tokens, time or cost is used up; see `data.budget`.',
  'model-failed': "The model's provider answered with an error; see `cause`.",
  'no-model': 'No model is configured that fits.',
  'audit-broken': 'The audit log was altered, or cannot be written.',
  'state-unwritable':
    'A file of the state folder cannot be read or changed (full or read-only disk, no rights); the message says what to do.',
  closed: 'The host is closed.',
} as const

/** The codes that a `HostError` can have. */
export type HostErrorCode = keyof typeof HOST_ERROR_CODES

/**
 * An error of the host: `code` says what kind it is, the message says it in words, and `data` holds more for some
 * codes.
 */
export class HostError extends Error {
  readonly code: HostErrorCode
  readonly data: unknown

  constructor(
    code: HostErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly data?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'HostError'
    this.code = code
    this.data = options.data
  }
}

/** What a disk can say to a program that writes, and what its operator can do about it. */
const REMEDIES: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full. Free some space',
  EDQUOT: 'the quota of this user is used up. Free some space',
  EROFS: 'the disk can only be read. Make it writable, or name another state folder',
  EACCES: 'this user may not write there. Give it the right to, or name another state folder',
  EPERM: 'this user may not write there. Give it the right to, or name another state folder',
  EMFILE: 'too many files are open in this process. Raise its limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine. Raise its limit',
  ENOTDIR: 'something on the way there is no folder. Name another state folder',
  EIO: 'the disk reports an error. Look at its health before anything else is kept on it',
}

/** What to do about a failed call of the operating system, after what is wrong; undefined where nothing better is known than its own words. */
export function remedyOf(error: unknown): string | undefined {
  return isOfSystem(error) ? REMEDIES[error.code] : undefined
}

/** What a call of the operating system failed with. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
