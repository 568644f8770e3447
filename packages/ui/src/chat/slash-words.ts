/** What begins with a slash in the composer: the name of a prompt, as far as it has been typed. */

interface NamedPrompt {
  readonly name: string
  readonly ownName: string
}

/** The text after the slash, while it is one word at the start of the message. */
export function slashWordOf(text: string): string | undefined {
  return /^\/(\S*)$/.exec(text)?.[1]
}

/** By their names in the catalogue or their servers' own, those that begin so before those that contain it. */
export function promptsFor<P extends NamedPrompt>(typed: string, prompts: readonly P[]): P[] {
  const wanted = typed.toLowerCase()
  const placeOf = ({ name, ownName }: P): number => {
    const places = [name, ownName].map((one) => one.toLowerCase().indexOf(wanted)).filter((place) => place >= 0)
    return places.length === 0 ? -1 : Math.min(...places)
  }
  const found = prompts.flatMap((prompt) => (placeOf(prompt) < 0 ? [] : [prompt]))
  return found.sort((a, b) => placeOf(a) - placeOf(b))
}
