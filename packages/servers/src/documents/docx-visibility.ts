/** Which runs of a Word document a reader would not see: marked as hidden, too small to be made out, or white on white. */

interface Run {
  isHidden: boolean
  isWhite: boolean
  isShaded: boolean
}

/** Told of tags as they come; says whether the text at hand is seen. */
export class Visibility {
  /** Runs may hold boxes with runs of their own. */
  readonly #runs: Run[] = []
  #deeper = 0
  #isShaded = false
  /** Tables have looks of their own, in which white may stand on a colour: there it is taken to be seen. */
  #tables = 0

  get isSeen(): boolean {
    return this.#runs.every(
      ({ isHidden, isWhite, isShaded }) =>
        !isHidden && !(isWhite && !isShaded && !this.#isShaded && this.#tables === 0),
    )
  }

  begin(name: string, attributes: string): void {
    const isEmpty = attributes.endsWith('/')
    if (name === 'r' && !isEmpty) this.#beginRun()
    else if (name === 'p') this.#isShaded = false
    else if (name === 'tbl' && !isEmpty) this.#tables++
    else this.#look(name, attributes)
  }

  end(name: string): void {
    if (name === 'r' && this.#deeper > 0) this.#deeper--
    else if (name === 'r') this.#runs.pop()
    else if (name === 'tbl') this.#tables = Math.max(0, this.#tables - 1)
  }

  #beginRun(): void {
    if (this.#runs.length < MAX_NESTED) this.#runs.push({ isHidden: false, isWhite: false, isShaded: false })
    else this.#deeper++
  }

  #look(name: string, attributes: string): void {
    const run = this.#runs.at(-1)
    const value = /\bval="([^"]*)"/.exec(attributes)?.[1] ?? ''
    if (name === 'shd' && /\bfill="(?!auto|f[0-9a-f]f[0-9a-f]f[0-9a-f]")/i.test(attributes)) {
      if (run === undefined) this.#isShaded = true
      else run.isShaded = true
    }
    if (run === undefined) return
    if (name === 'highlight' && value !== 'none' && value !== 'white') run.isShaded = true
    if (name === 'vanish' && !/^(?:0|false|off)$/.test(value)) run.isHidden = true
    if (name === 'sz' && value !== '' && Number(value) <= SMALLEST) run.isHidden = true
    if (name === 'color' && /^f[0-9a-f]f[0-9a-f]f[0-9a-f]$/i.test(value)) run.isWhite = true
  }
}

/** No document has boxes in boxes like this; deeper runs look like the last one. */
const MAX_NESTED = 20
/** In half points. */
const SMALLEST = 4
