// Teaches: a port. The interface of the published memory server: nine tools over a graph, a resource that is told of changes.
import { createServer, resource, ToolError, tool } from '@portico/sdk/server'
import { z } from 'zod'
import { GraphStore } from './graph-store.ts'

const Entity = z.object({
  name: z.string().describe('The name of the entity'),
  entityType: z.string().describe('What kind of thing it is'),
  observations: z.array(z.string()).describe('What is known of it'),
})
const Relation = z.object({
  from: z.string().describe('The entity where it begins'),
  to: z.string().describe('The entity where it ends'),
  relationType: z.string().describe('What holds between them, in the active voice'),
})
const Graph = z.object({ entities: z.array(Entity), relations: z.array(Relation) })

const entityNames = z.array(z.string()).describe('Names of entities')
const contents = z.array(z.string()).describe('What was observed')
const relations = z.array(Relation)
const Done = z.object({ success: z.boolean(), message: z.string() })

const URI = 'memory://graph'
const store = new GraphStore(process.env.MEMORY_FILE_PATH ?? 'memory.jsonl')

/** What every change ends with. */
function changed<T>(value: T): T {
  memory.changed(URI)
  return value
}

const memory = createServer({
  name: 'memory-server',
  version: '1.0.0',
  resources: {
    graph: resource({ uri: URI, mimeType: 'application/json', description: 'The whole graph' }, () => store.select()),
  },
  tools: {
    create_entities: tool(
      {
        description: 'Adds entities; those whose name is known are left as they are',
        input: z.object({ entities: z.array(Entity) }),
        output: z.object({ entities: z.array(Entity) }),
      },
      ({ entities }) => changed({ entities: store.addEntities(entities) }),
    ),
    create_relations: tool(
      {
        description: 'Adds relations between entities',
        input: z.object({ relations }),
        output: z.object({ relations }),
      },
      (wanted) => changed({ relations: store.addRelations(wanted.relations) }),
    ),
    add_observations: tool(
      {
        description: 'Adds what was observed of entities',
        input: z.object({ observations: z.array(z.object({ entityName: z.string(), contents })) }),
        output: z.object({ results: z.array(z.object({ entityName: z.string(), addedObservations: contents })) }),
      },
      ({ observations }) => {
        const results = observations.map(({ entityName, contents }) => {
          const addedObservations = store.observe(entityName, contents)
          if (addedObservations === undefined) throw new ToolError(`There is no entity "${entityName}".`)
          return { entityName, addedObservations }
        })
        return changed({ results })
      },
    ),
    delete_entities: tool(
      {
        description: 'Removes entities and their relations',
        input: z.object({ entityNames }),
        output: Done,
        destructive: true,
      },
      (doomed) => {
        store.removeEntities(doomed.entityNames)
        return changed({ success: true, message: 'Entities removed' })
      },
    ),
    delete_observations: tool(
      {
        description: 'Removes what was observed of entities',
        input: z.object({ deletions: z.array(z.object({ entityName: z.string(), observations: contents })) }),
        output: Done,
        destructive: true,
      },
      ({ deletions }) => {
        for (const { entityName, observations } of deletions) store.forget(entityName, observations)
        return changed({ success: true, message: 'Observations removed' })
      },
    ),
    delete_relations: tool(
      { description: 'Removes relations', input: z.object({ relations }), output: Done, destructive: true },
      (doomed) => {
        store.removeRelations(doomed.relations)
        return changed({ success: true, message: 'Relations removed' })
      },
    ),
    read_graph: tool({ description: 'The whole graph', output: Graph, readOnly: true }, () => store.select()),
    search_nodes: tool(
      {
        description: 'Entities in whose name, kind or observations the words occur',
        input: z.object({ query: z.string() }),
        output: Graph,
        readOnly: true,
      },
      ({ query }) =>
        store.select(({ name, entityType, observations }) =>
          [name, entityType, ...observations].some((text) => text.toLowerCase().includes(query.toLowerCase())),
        ),
    ),
    open_nodes: tool(
      { description: 'Entities by name', input: z.object({ names: entityNames }), output: Graph, readOnly: true },
      ({ names }) => store.select(({ name }) => names.includes(name)),
    ),
  },
})

export default memory
