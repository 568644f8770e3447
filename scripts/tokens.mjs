/**
 * Cuts TypeScript or JavaScript source into tokens, just finely enough that words inside comments, strings, templates
 * and regular expressions are never taken for code. `imports.mjs` reads import statements from the tokens;
 * `check-doors.mjs` reads whole files with them.
 *
 * @typedef {{ kind: 'word' | 'string' | 'template' | 'regex' | 'mark', text: string, line: number }} Token
 * A string's text is without its quotes; a template's text is empty when it has substitutions.
 */

const GAP = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y
const WORD = /[\w$#\u0080-\uffff]+/y
// A string ends with its line even if unclosed, so an apostrophe in JSX text costs one line at most.
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
const TEMPLATE_PIECE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y

const WORDS_BEFORE_VALUE = new Set(
  'return typeof case do else in of instanceof new void delete throw await yield default'.split(' '),
)
const WORDS_BEFORE_CONDITION = new Set(['if', 'while', 'for', 'with'])

/**
 * @param {string} source
 * @returns {Token[]}
 */
export function tokenize(source) {
  return new Tokenizer(source).run()
}

class Tokenizer {
  /** @type {Token[]} */
  tokens = []
  /** Open brackets: '`' stands for a template's substitution, 'if(' for a parenthesis that a statement follows. */
  open = []
  #source
  #at = 0
  #line = 1
  #valueEnded = false

  constructor(source) {
    this.#source = source.startsWith('#!') ? `//${source.slice(2)}` : source
  }

  run() {
    for (;;) {
      this.#take(GAP)
      const char = this.#source[this.#at]
      if (char === undefined) return this.tokens
      if (char === "'" || char === '"') this.#string()
      else if (char === '`') this.#template(true)
      else if (char === '/' && !this.#valueEnded && this.#match(REGEX)) this.#add('regex', this.#take(REGEX), true)
      else if (this.#match(WORD)) this.#word()
      else this.#mark(char)
    }
  }

  #string() {
    const line = this.#line
    const text = this.#take(STRING)
    this.#add('string', text.slice(1, text.length > 1 && text.endsWith(text[0]) ? -1 : undefined), true, line)
  }

  /** Reads a template up to its end or to a substitution, whose closing brace comes back here. */
  #template(opening) {
    const line = this.#line
    this.#at += 1
    const text = this.#take(TEMPLATE_PIECE)
    if (this.#source.startsWith('${', this.#at)) {
      this.#at += 2
      this.open.push('`')
      this.#valueEnded = false
      return
    }
    this.#at += 1
    this.#add('template', opening ? text : '', true, line)
  }

  #word() {
    const afterDot = this.tokens.at(-1)?.text === '.'
    const text = this.#take(WORD)
    this.#add('word', text, afterDot || !WORDS_BEFORE_VALUE.has(text))
  }

  #mark(char) {
    if (char === '}' && this.open.at(-1) === '`') {
      this.open.pop()
      this.#template(false)
      return
    }
    const twice = (char === '+' || char === '-') && this.#source[this.#at + 1] === char
    const text = twice ? char + char : char
    let valueEnded = twice || char === ']' || char === '}'
    if (char === '(') this.open.push(WORDS_BEFORE_CONDITION.has(this.tokens.at(-1)?.text ?? '') ? 'if(' : '(')
    else if (char === '{' || char === '[') this.open.push(char)
    else if (char === ')') valueEnded = this.open.pop() !== 'if('
    else if (char === ']' || char === '}') this.open.pop()
    this.#at += text.length
    this.#add('mark', text, valueEnded)
  }

  #match(pattern) {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#source)?.[0] ?? ''
  }

  #take(pattern) {
    const text = this.#match(pattern)
    this.#at += text.length
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.#line += 1
    return text
  }

  #add(kind, text, valueEnded, line = this.#line) {
    this.tokens.push({ kind, text, line })
    this.#valueEnded = valueEnded
  }
}
