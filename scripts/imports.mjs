/**
 * Reads what a module imports: `import`, `import type`, `export … from`, and `import()` of a literal (which is also how a type
 * names another module). The layer check judges what is found here.
 *
 * @typedef {{ specifier: string, line: number, typeOnly: boolean, names: string[] | undefined }} Import
 * `names` are those that are taken; undefined where that may be all of them.
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
  const add = (node, typeOnly, names) => {
    const specifier = literalOf(node)
    if (specifier !== undefined) found.push({ specifier, line: lineOf(node.start), typeOnly, names, at: node.start })
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type', importedNames(node.specifiers)),
    ExportNamedDeclaration: ({ source, exportKind, specifiers }) =>
      add(
        source,
        exportKind === 'type',
        specifiers.map(({ local }) => nameOf(local)),
      ),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind === 'type'),
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, false),
  }).visit(program)
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...one }) => one)
}

function importedNames(specifiers) {
  if (specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')) return undefined
  return specifiers.map(({ imported }) => (imported === undefined ? 'default' : nameOf(imported)))
}

/** The name of an identifier, or of what is written as a string in its place. */
function nameOf(node) {
  return node.name ?? node.value
}

/** What a literal says, quoted or as a template without substitutions. */
function literalOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0].value.cooked
  return undefined
}
