/** Why a command ended, as its exit code. Documented and stable: scripts depend on them. */

export const EXIT_CODES = {
  ok: { code: 0, about: 'It worked.' },
  failed: { code: 1, about: 'It was tried and did not work: the tool reported an error, a check found something.' },
  usage: { code: 2, about: 'The command line is not right: an unknown command or option, a value of the wrong type.' },
  'not-found': { code: 3, about: 'There is no such server, tool, resource, prompt or file.' },
  unreachable: { code: 4, about: 'The server could not be reached or started.' },
  denied: { code: 5, about: 'A rule or a person said no, nobody could be asked, or signing in is needed.' },
  timeout: { code: 6, about: 'It took longer than allowed.' },
  config: { code: 7, about: 'A configuration file cannot be used.' },
  exited: { code: 8, about: 'A definition called `process.exit`, whatever code it gave.' },
  interrupted: { code: 130, about: 'Ctrl-C.' },
} as const

export type ExitName = keyof typeof EXIT_CODES

/** Ends a command with one clear line and what to do. */
export class CliError extends Error {
  readonly exit: ExitName
  /** What to do, in one line. */
  readonly remedy: string | undefined

  constructor(exit: ExitName, message: string, remedy?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CliError'
    this.exit = exit
    this.remedy = remedy
  }
}
