/**
 * Reads what a module imports: `import`, `import type`, `export … from`, and `import()` of a literal (which is also how a type
 * names another module). The layer check judges what is found here.
 *
 * @typedef {{ specifier: string, line: number, typeOnly: boolean }} Import
 */
import { readSyntax, Visitor } from './syntax.mjs'

/**
 * @param {string} source
 * @param {string} [file] its name says how it is read
 * @returns {Import[]} in the order of the source; `line` is that of the specifier
 */
export function readImports(source, file = 'module.ts') {
  const { program, lineOf } = readSyntax(file, source)
  const found = []
  const add = (node, typeOnly) => {
    const specifier = literalOf(node)
    if (specifier !== undefined) found.push({ specifier, line: lineOf(node.start), typeOnly, at: node.start })
  }
  const ofExport = (node) => add(node.source, node.exportKind === 'type')
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type'),
    ExportNamedDeclaration: ofExport,
    ExportAllDeclaration: ofExport,
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, false),
  }).visit(program)
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...one }) => one)
}

/** What a literal says, quoted or as a template without substitutions. */
function literalOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0].value.cooked
  return undefined
}
