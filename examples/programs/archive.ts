// Teaches: resources in earnest. Optional parts of a URI, whole paths, bytes, long lists, completion, work for subscribers only.
import { createServer, resource, tool } from '@portico/sdk/server'
import { z } from 'zod'

interface Page {
  readonly section: string
  readonly name: string
  text: string
}

const pages = new Map<string, Page>()
const uriOf = (section: string, name: string) => `archive://pages/${section}/${encodeURIComponent(name)}`

function put(section: string, name: string, text: string): void {
  pages.set(uriOf(section, name), { section, name, text })
}

put('letters', 'Grüße', 'Liebe Ada, viele Grüße!\nBis bald.')
put('letters', 'thanks', 'Dear Ada, thank you.')
for (let year = 1900; year < 1990; year++) put('chronicle', String(year), `What happened in ${year}.`)

const files = new Map([
  ['maps/town/north.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['maps/key.txt', 'Red is a road.'],
])

const startsWith = (typed: string) => (name: string) => name.startsWith(typed)
const sections = () => [...new Set([...pages.values()].map(({ section }) => section))]

/** How many URIs somebody is subscribed to: a real archive would watch their files meanwhile. */
const watched = new Set<string>()

const archive = createServer({
  name: 'archive',
  version: '1.0.0',
  pageSize: 40,
  resources: {
    about: resource({ uri: 'archive://about', mimeType: 'application/json' }, () => ({ pages: pages.size })),
    seal: resource({ uri: 'archive://seal', mimeType: 'image/png' }, () => new Uint8Array([137, 80, 78, 71])),
    watched: resource({ uri: 'archive://watched' }, () => [...watched].join('\n')),
    page: resource(
      {
        // `lines` may be missing, and stands anywhere in the query.
        uri: 'archive://pages/{section}/{name}{?lines}',
        list: () => [...pages].map(([uri, { name }]) => ({ uri, name })),
        complete: {
          section: (typed) => sections().filter(startsWith(typed)),
          // What was chosen before narrows what is proposed; older clients do not say it.
          name: (typed, { section }) =>
            [...pages.values()]
              .filter((page) => section === undefined || page.section === section)
              .map(({ name }) => name)
              .filter(startsWith(typed)),
        },
      },
      ({ section, name, lines }) => {
        const page = pages.get(uriOf(section, name))
        return lines === undefined ? page?.text : page?.text.split('\n').slice(0, Number(lines)).join('\n')
      },
    ),
    // `{+path}` takes slashes along.
    file: resource({ uri: 'archive://files/{+path}' }, ({ path }, ctx) => {
      const text = files.get(path)
      return text === undefined ? undefined : { uri: ctx.uri ?? path, mimeType: 'text/plain', text }
    }),
  },
  tools: {
    write: tool(
      { description: 'Writes a page', input: z.object({ section: z.string(), name: z.string(), text: z.string() }) },
      ({ section, name, text }) => {
        const uri = uriOf(section, name)
        const isNew = !pages.has(uri)
        put(section, name, text)
        archive.changed(isNew ? 'resources' : uri)
        return uri
      },
    ),
  },
})

archive.onSubscribe((uri) => watched.add(uri))
archive.onUnsubscribe((uri) => watched.delete(uri))

export default archive
