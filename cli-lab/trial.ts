/** One thing that the lab tries, as `run.ts` runs it; each file of trials exports a list called `trials`. */

export interface Trial {
  readonly name: string
  /** Why it cannot be tried on this machine; undefined if it can. */
  missing?(): string | undefined
  run(): Promise<void>
}
