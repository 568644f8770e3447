/** Starts programs whose standard streams are all pipes, and says at once where there were none to be had. */

import { type ChildProcessWithoutNullStreams, type SpawnOptions, spawn } from 'node:child_process'

/**
 * A process without a free file descriptor gets a child that has no streams, and the reason a moment later as an event, which ends
 * the process if nobody listens. Here that is an exception like any other.
 */
export function spawnPiped(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcessWithoutNullStreams {
  const child = spawn(program, args, options) as ChildProcessWithoutNullStreams
  // Declared as always there, which is not so in this one case.
  if ((child.stdout as unknown) != null) return child
  child.on('error', () => {})
  const lack = { code: 'EMFILE', syscall: `spawn ${program}` }
  throw Object.assign(new Error(`spawn ${program} EMFILE: this process has no file descriptor left`), lack)
}
