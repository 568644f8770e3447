/**
 * What the published servers are asked, where arguments made from the input schema are not enough: a table by server
 * and item. An item may be used several times; `errors` says that a refusal is the right answer.
 */

import type { Json } from '../client-under-test.ts'

export interface Case {
  readonly args: Json
  /** Must occur in the answer. */
  readonly says?: RegExp
  readonly errors?: true
}

export interface Cases {
  readonly tools: { readonly [name: string]: readonly Case[] }
  readonly templates: { readonly [uriTemplate: string]: readonly string[] }
  readonly prompts: { readonly [name: string]: readonly { readonly [argument: string]: string }[] }
}

const NOTHING = { tools: {}, templates: {}, prompts: {} }

export const everything: Cases = {
  tools: {
    echo: [
      { args: { message: 'żółć 🙂' }, says: /Echo: żółć 🙂/ },
      { args: {}, errors: true },
    ],
    'get-annotated-message': ['error', 'success', 'debug'].map((messageType) => ({
      args: { messageType, includeImage: true },
      says: /"priority"/,
    })),
    'get-env': [{ args: {}, says: /PATH/ }],
    'get-resource-links': [{ args: { count: 4 }, says: /"resource_link"/ }],
    'get-resource-reference': [
      { args: { resourceType: 'Text', resourceId: 1 }, says: /"type":"resource"/ },
      { args: { resourceType: 'Blob', resourceId: 2 }, says: /"blob"/ },
      { args: { resourceType: 'Text', resourceId: -1 }, errors: true },
    ],
    'get-structured-content': ['New York', 'Chicago', 'Los Angeles'].map((location) => ({
      args: { location },
      says: /"structuredContent":\{.*"temperature"/,
    })),
    'get-sum': [
      { args: { a: 2, b: 40 }, says: /42/ },
      { args: { a: 'two', b: 40 }, errors: true },
    ],
    'gzip-file-as-resource': [
      { args: { name: 'one.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }, says: /resource_link/ },
      { args: { name: 'two.gz', data: 'data:text/plain,hello', outputType: 'resource' }, says: /"blob"/ },
    ],
    // Switched on and off again.
    'toggle-simulated-logging': [{ args: {} }, { args: {} }],
    'toggle-subscriber-updates': [{ args: {} }, { args: {} }],
    'trigger-long-running-operation': [{ args: { duration: 0.3, steps: 3 }, says: /completed/ }],
    'get-roots-list': [{ args: {}, says: /project/ }],
    'trigger-elicitation-request': [{ args: {}, says: /provided the requested information/ }],
    'trigger-url-elicitation': [
      { args: { url: 'https://example.com/one' }, says: /accept/ },
      // Refused at first with -32042; the client shows the page and tries again by itself.
      { args: { url: 'https://example.com/two', elicitationId: 'two', errorPath: true }, says: /accept/ },
    ],
    'trigger-sampling-request': [{ args: { prompt: 'A thought?', maxTokens: 20 }, says: /a thought/ }],
    // It can only be called as a task, and so it is.
    'simulate-research-query': [{ args: { topic: 'doors' }, says: /doors/ }],
  },
  templates: {
    'demo://resource/dynamic/text/{resourceId}': ['demo://resource/dynamic/text/7'],
    'demo://resource/dynamic/blob/{resourceId}': ['demo://resource/dynamic/blob/8'],
  },
  prompts: {
    'args-prompt': [{ city: 'Delft' }, { city: 'Austin', state: 'Texas' }],
    'completable-prompt': [{ department: 'Engineering', name: 'Alice' }],
    'resource-prompt': [
      { resourceType: 'Text', resourceId: '1' },
      { resourceType: 'Blob', resourceId: '2' },
    ],
  },
}

/** In a folder that holds `notes.txt` of three lines and `pixel.png`. The tools are used in the order listed. */
export function filesystem(folder: string): Cases {
  const at = (name: string) => `${folder}/${name}`
  const edits = [{ oldText: 'written', newText: 'edited' }]
  return {
    ...NOTHING,
    tools: {
      read_file: [{ args: { path: at('notes.txt') }, says: /one\\ntwo\\nthree/ }],
      read_text_file: [
        { args: { path: at('notes.txt'), head: 1 }, says: /one/ },
        { args: { path: '/etc/hostname' }, errors: true },
      ],
      read_media_file: [{ args: { path: at('pixel.png') }, says: /"type":"image"/ }],
      read_multiple_files: [{ args: { paths: [at('notes.txt'), at('absent.txt')] }, says: /two/ }],
      write_file: [{ args: { path: at('new.txt'), content: 'written here' } }],
      edit_file: [
        { args: { path: at('new.txt'), edits, dryRun: true }, says: /edited/ },
        { args: { path: at('new.txt'), edits }, says: /edited/ },
        { args: { path: at('new.txt'), edits: [{ oldText: 'no such words', newText: '' }] }, errors: true },
      ],
      create_directory: [{ args: { path: at('inner/most') } }],
      list_directory: [{ args: { path: folder }, says: /notes\.txt/ }],
      list_directory_with_sizes: [{ args: { path: folder, sortBy: 'size' }, says: /notes\.txt/ }],
      directory_tree: [{ args: { path: folder }, says: /inner/ }],
      move_file: [{ args: { source: at('new.txt'), destination: at('inner/moved.txt') } }],
      search_files: [{ args: { path: folder, pattern: '**/*.txt' }, says: /moved\.txt/ }],
      get_file_info: [{ args: { path: at('notes.txt') }, says: /size/ }],
      list_allowed_directories: [{ args: {}, says: /Allowed directories/ }],
    },
  }
}

const relation = { from: 'Ada', to: 'Charles', relationType: 'writes to' }

export const memory: Cases = {
  ...NOTHING,
  tools: {
    create_entities: [
      {
        args: {
          entities: [
            { name: 'Ada', entityType: 'person', observations: ['likes numbers'] },
            { name: 'Charles', entityType: 'person', observations: [] },
          ],
        },
        says: /likes numbers/,
      },
    ],
    create_relations: [{ args: { relations: [relation] }, says: /writes to/ }],
    add_observations: [
      { args: { observations: [{ entityName: 'Ada', contents: ['plays the harp'] }] }, says: /harp/ },
      { args: { observations: [{ entityName: 'Nobody', contents: ['x'] }] }, errors: true },
    ],
    delete_entities: [{ args: { entityNames: ['Charles'] }, says: /success/ }],
    delete_observations: [{ args: { deletions: [{ entityName: 'Ada', observations: ['likes numbers'] }] } }],
    delete_relations: [{ args: { relations: [relation] } }],
    read_graph: [{ args: {}, says: /plays the harp/ }],
    search_nodes: [{ args: { query: 'harp' }, says: /Ada/ }],
    open_nodes: [{ args: { names: ['Ada'] }, says: /person/ }],
  },
}

export const sequentialThinking: Cases = {
  ...NOTHING,
  tools: {
    sequentialthinking: [
      {
        args: { thought: 'First this', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 },
        says: /"thoughtNumber"/,
      },
      {
        args: { thought: 'Then that', nextThoughtNeeded: false, thoughtNumber: 2, totalThoughts: 2 },
        says: /"thoughtHistoryLength\W+2/,
      },
      { args: { thought: 'Half a thought' }, errors: true },
    ],
  },
}
