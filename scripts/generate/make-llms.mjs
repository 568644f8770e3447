/**
 * Writes `docs/llms.txt`, the table of contents for models that read these docs: `node scripts/generate/make-llms.mjs`. Titles and
 * first sentences come from the pages themselves; the test beside this file fails while it is out of date.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIfMain } from './make.mjs'
import { makeReference } from './make-reference.mjs'

/**
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function makeLlms(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const guides = listFiles(root, 'docs/guide', '.md').map((name) => toLine(`guide/${name}`, read(`docs/guide/${name}`)))
  // The table of decisions says in a few words what each page is about.
  const decisions = [...read('docs/decisions/README.md').matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (.+?) \|$/gm)].map(
    ([, title, page, about]) => `- [${title}](decisions/${page}): ${about}`,
  )
  // Taken as they will be, so that one run of all makers is enough.
  const reference = [...makeReference(root)]
    .filter(([path]) => !path.endsWith('README.md'))
    .map(([path, text]) => toLine(path.replace('docs/', ''), text))
  const examples = ['examples', 'examples/programs'].flatMap((folder) =>
    listFiles(root, folder, '.ts')
      .filter((name) => !/\.test\.ts$|\.d\.ts$/.test(name))
      .map((name) => `- [${name}](../${folder}/${name}): ${exampleLine(read(`${folder}/${name}`))}`),
  )
  const { name, description } = JSON.parse(read('packages/sdk/package.json'))
  const text = `# Portico

> ${description}. One definition answers every revision of the Model Context Protocol on every transport; the package is \`${name}\`.

## Guide

${guides.join('\n')}

## Reference

${reference.join('\n')}
- [Error codes](reference/errors.md): every code that an error can have
- [Security](reference/security.md): each security requirement and the tests that hold it
- [Tasks](reference/task-requirements.md): each rule of both generations of tasks and the tests that hold it

## Decisions

${decisions.join('\n')}

## Examples

${examples.join('\n')}
`
  return new Map([['docs/llms.txt', text]])
}

function listFiles(root, folder, ending) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
}

function toLine(path, text) {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  const prose = text.replace(/<!--[\s\S]*?-->|^```[\s\S]*?^```$/gm, '').split(/\n{2,}/)
  const first = prose.find((part) => /^[^#|\-<\s]/.test(part.trim())) ?? ''
  // A door's page begins with the door's own name.
  return `- [${title}](${path}): ${firstSentence(first.replace(/^`[^`]*`: /, ''))}`
}

function firstSentence(text) {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
  return (/^.*?\.(?= |$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, '')
}

/** An example says in its first line what it teaches. */
function exampleLine(text) {
  const comment = /^(?:#![^\n]*\n)?(?:\/\/ ?([^\n]*)|\/\*\*\s*([\s\S]*?)\*\/)/.exec(text)
  const words = (comment?.[1] ?? comment?.[2] ?? '').replace(/\n\s*\* ?/g, ' ')
  return firstSentence(words.replace(/^Teaches:? /, ''))
}

writeIfMain(import.meta.url, makeLlms)
