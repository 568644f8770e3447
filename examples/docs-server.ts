// Teaches: serving documents to a model. These docs themselves: a search that answers with links, and pages to read.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, resource, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const folder = fileURLToPath(new URL('../docs', import.meta.url))
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(md|txt)$/.test(name))
// Read once: a page that is not in this map cannot be read, whatever a client asks for.
const pages = new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]))
const titleOf = (text = ''): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled'

const search_docs = tool(
  {
    description: 'Finds pages of the Portico documentation by words. Read the linked resources for the full text.',
    input: z.strictObject({ words: z.string().min(1).describe('What to look for, as a few plain words') }),
    readOnly: true,
  },
  ({ words }) => {
    const wanted = words.toLowerCase().split(/\W+/).filter(Boolean)
    const hits = (text: string) => wanted.filter((word) => text.toLowerCase().includes(word)).length
    const ranked = [...pages].map(([path, text]) => ({ path, text, score: hits(text) + 3 * hits(titleOf(text)) }))
    const found = ranked.filter((page) => page.score > 0).sort((a, b) => b.score - a.score)
    if (found.length === 0) return `Nothing was found for "${words}". Try fewer or other words.`
    return found.slice(0, 5).map(({ path, text }) => {
      const line = text.split('\n').find((one) => hits(one) > 0 && !one.startsWith('#')) ?? ''
      return { type: 'resource_link', uri: `docs:///${path}`, name: titleOf(text), description: line.slice(0, 200) }
    })
  },
)

const list = () => [...pages].map(([path, text]) => ({ uri: `docs:///${path}`, name: titleOf(text) }))
const page = resource(
  { uri: 'docs:///{+path}', description: 'A page of the documentation', mimeType: 'text/markdown', list },
  ({ path }) => pages.get(path),
)

await serveStdio(createServer({ name: 'portico-docs', version: '1.0.0', tools: { search_docs }, resources: { page } }))
