/**
 * Reads what a module imports from its tokens: `import`, `import type`, `export … from`, and `import()` of a literal
 * (which is also how a type names another module). The layer and door checks judge what is found here.
 *
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import
 */
import { tokenize } from './tokens.mjs'

/**
 * @param {string} source
 * @returns {Import[]} in the order of the source; `line` is that of the specifier
 */
export function readImports(source) {
  const tokens = tokenize(source)
  const found = []
  for (let i = 0; i < tokens.length; i += 1) {
    const { kind, text } = tokens[i]
    if (kind !== 'word' || (text !== 'import' && text !== 'export') || tokens[i - 1]?.text === '.') continue
    const at = text === 'import' ? importSpecifier(tokens, i + 1) : exportSpecifier(tokens, i + 1)
    if (at < 0) continue
    found.push({ specifier: tokens[at].text, line: tokens[at].line, typeOnly: isTypeClause(tokens, i + 1) })
  }
  return found
}

/** The index of the specifier of the import whose clause starts at `start`, or -1. */
function importSpecifier(tokens, start) {
  const first = tokens[start]
  if (first?.kind === 'string') return start
  if (isMark(first, '(')) return isLiteral(tokens[start + 1]) ? start + 1 : -1
  return isMark(first, '{') || isMark(first, '*') || first?.kind === 'word' ? fromSpecifier(tokens, start) : -1
}

function exportSpecifier(tokens, start) {
  const clause = isTypeClause(tokens, start) ? start + 1 : start
  return isMark(tokens[clause], '{') || isMark(tokens[clause], '*') ? fromSpecifier(tokens, clause) : -1
}

/** Walks names, commas and one brace group to `from '…'`; anything else means that this is no import clause. */
function fromSpecifier(tokens, start) {
  let inBraces = false
  for (let i = start; i < tokens.length; i += 1) {
    const token = tokens[i]
    if (isMark(token, '{')) inBraces = true
    else if (isMark(token, '}')) inBraces = false
    else if (token.kind === 'string') {
      if (!inBraces) return tokens[i - 1].text === 'from' ? i : -1
    } else if (token.kind !== 'word' && !isMark(token, ',') && !isMark(token, '*')) return -1
    // What follows a closing brace is `from` or the next statement.
    if (!inBraces && isMark(tokens[i - 1], '}') && token.text !== 'from') return -1
  }
  return -1
}

/** Whether `type` opens the clause, rather than being the name of what is imported (`import type from 'x'`). */
function isTypeClause(tokens, start) {
  const next = tokens[start + 1]
  if (tokens[start]?.text !== 'type' || tokens[start].kind !== 'word') return false
  if (isMark(next, '{') || isMark(next, '*')) return true
  return next?.kind === 'word' && (next.text !== 'from' || tokens[start + 2]?.kind !== 'string')
}

function isLiteral(token) {
  return token?.kind === 'string' || (token?.kind === 'template' && token.text !== '')
}

function isMark(token, text) {
  return token?.kind === 'mark' && token.text === text
}
