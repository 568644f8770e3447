/** The shape of every entry in the contract between the page and the program: what is asked, and what comes back. */

export interface Method<Params, Result = {}> {
  readonly params: Params
  readonly result: Result
}
