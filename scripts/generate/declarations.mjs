/**
 * Reads one exported declaration out of a TypeScript source: its kind, its comment, and its code without bodies and private
 * members. Works on lines, which is enough because one formatter writes all of them: what is exported begins at the margin,
 * members are indented by two, and a block ends on a line of its own.
 *
 * @typedef {{ name: string, kind: string, comment: string, code: string }} Declaration
 */

/**
 * @param {string} source
 * @param {string} name
 * @returns {Declaration | undefined}
 */
export function readDeclaration(source, name) {
  const lines = source.split('\n')
  const start = new RegExp(
    `^export (?:declare )?(?:async )?(?:abstract )?(function\\*?|class|interface|type|const) ${literal(name)}(?![\\w$])`,
  )
  const at = lines.findIndex((line) => start.test(line))
  if (at < 0) return undefined
  const kind = start.exec(lines[at] ?? '')?.[1]?.replace('*', '') ?? ''
  return {
    name,
    kind,
    comment: commentBefore(lines, at),
    code: READERS[kind](lines, at, start).replace(/^export /gm, ''),
  }
}

const READERS = {
  function: readFunctions,
  class: readClass,
  interface: (lines, at) => lines.slice(at, endOfBlock(lines, at) + 1).join('\n'),
  type: (lines, at) => lines.slice(at, endOfStatement(lines, at) + 1).join('\n'),
  const: readConst,
}

/** Longer values say less than they take room for. */
const LONGEST_VALUE = 40

function readFunctions(lines, at, start) {
  // Overloads stand one after the other; the last, which has the body, is hidden by them.
  const heads = []
  for (let line = at; start.test(lines[line] ?? ''); ) {
    const end = endOfHead(lines, line, '')
    heads.push({ text: headText(lines, line, end), hasBody: (lines[end] ?? '').endsWith('{') })
    if (heads.at(-1)?.hasBody) break
    line = end + 1
  }
  const overloads = heads.filter(({ hasBody }) => !hasBody)
  return (overloads.length > 0 ? overloads : heads).map(({ text }) => text).join('\n')
}

function readClass(lines, at) {
  const headEnd = endOfHead(lines, at, '')
  const end = endOfBlock(lines, headEnd)
  const members = []
  for (let line = headEnd + 1; line < end; ) {
    if (!/^ {2}\S/.test(lines[line] ?? '') || /^ {2}(?:\/\*\*|\/\/|\*|\})/.test(lines[line] ?? '')) {
      line++
      continue
    }
    const last = endOfMember(lines, line)
    if (isPublic(lines[line] ?? '')) {
      const comment = rawCommentBefore(lines, line)
      members.push([...comment, memberText(lines, line)].join('\n'))
    }
    line = last + 1
  }
  return [`${headText(lines, at, headEnd)} {`, ...members, '}'].join('\n')
}

function isPublic(line) {
  return (
    !/^ {2}(?:static |readonly |async |override |get |set )*#/.test(line) &&
    !/^ {2}(?:private|protected|declare) /.test(line)
  )
}

/** A member without its body or its value. */
function memberText(lines, at) {
  const first = lines[at] ?? ''
  const isField = /^ {2}(?:static |readonly |override )*[\w$]+[?!]?(?:: [^(]*)? =/.test(first)
  if (isField) return first.replace(/ = .*$| =$/, '')
  return headText(lines, at, endOfHead(lines, at, '  '))
}

function readConst(lines, at) {
  const end = endOfStatement(lines, at)
  const first = lines[at] ?? ''
  if (end - at < LONGEST_VALUE && !/=>|function/.test(lines.slice(at, end + 1).join('\n')))
    return lines.slice(at, end + 1).join('\n')
  return first.replace(/ = .*$| =$/, '')
}

/** The last line of a signature: the one that opens the body, or ends the statement where there is none. */
function endOfHead(lines, at, indent) {
  let depth = 0
  for (let line = at; line < lines.length; line++) {
    const text = lines[line] ?? ''
    for (const char of text.replace(/=>/g, '').replace(/'[^']*'/g, '')) {
      if ('([<{'.includes(char)) depth++
      else if (')]>}'.includes(char)) depth--
    }
    const opens = text.endsWith('{') && depth === 1
    const isMargin =
      line === at || text.startsWith(`${indent})`) || text.startsWith(`${indent}>`) || text.startsWith(`${indent}}`)
    if (opens && isMargin) return line
    if (depth === 0 && isMargin) return line
  }
  return at
}

function headText(lines, at, end) {
  return lines
    .slice(at, end + 1)
    .join('\n')
    .replace(/ \{\s*\}?$/, '')
    .replace(/ \{ .* \}$/, '')
}

function endOfBlock(lines, at) {
  if (/\{\}?$/.test(lines[at] ?? '') && (lines[at] ?? '').endsWith('}')) return at
  const end = lines.findIndex((line, index) => index > at && /^\}/.test(line))
  return end < 0 ? lines.length - 1 : end
}

function endOfMember(lines, at) {
  const first = lines[at] ?? ''
  for (let line = at; line < lines.length; line++) {
    const next = lines[line + 1] ?? ''
    // What belongs to a member is indented further, or closes what the member has opened.
    if (!/^ {3,}\S/.test(next) && !/^ {2}[)}\]>]/.test(next) && next.trim() !== '') return line
    if (next.trim() === '' && !first.endsWith('(') && !/^ {4}/.test(lines[line + 2] ?? '')) return line
  }
  return at
}

function endOfStatement(lines, at) {
  for (let line = at; line < lines.length; line++) {
    const next = lines[line + 1] ?? ''
    if (!/^(?: +\S|[)}\]>])/.test(next)) return line
  }
  return lines.length - 1
}

function rawCommentBefore(lines, at) {
  if (!/\*\/$/.test(lines[at - 1] ?? '')) return []
  let start = at - 1
  while (start > 0 && !/^\s*\/\*\*/.test(lines[start] ?? '')) start--
  return lines.slice(start, at)
}

function commentBefore(lines, at) {
  return rawCommentBefore(lines, at)
    .join('\n')
    .replace(/^\s*\/\*\*\s?/, '')
    .replace(/\s*\*\/\s*$/, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()
}

function literal(name) {
  return name.replace(/[$]/g, '\\$&')
}
