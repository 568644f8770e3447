// Teaches: resources. One with a fixed URI, a template with its list and completion, and telling subscribers of changes.
import { createServer, resource, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

const pages = new Map([
  ['home', '# Home'],
  ['news', '# News'],
])

const server = createServer({
  name: 'wiki',
  version: '1.0.0',
  resources: {
    about: resource({ uri: 'wiki://about', mimeType: 'text/plain' }, () => 'A wiki of two pages.'),
    page: resource(
      {
        uri: 'wiki://pages/{name}',
        mimeType: 'text/markdown',
        list: () => [...pages.keys()].map((name) => ({ uri: `wiki://pages/${name}`, name })),
        complete: { name: (typed) => [...pages.keys()].filter((name) => name.startsWith(typed)) },
      },
      ({ name }) => pages.get(name),
    ),
  },
  tools: {
    edit: tool({ input: z.object({ name: z.string(), text: z.string() }) }, ({ name, text }) => {
      const isNew = !pages.has(name)
      pages.set(name, text)
      server.changed(isNew ? 'resources' : `wiki://pages/${name}`)
      return 'Saved.'
    }),
  },
})

serveStdio(server)
