// Teaches: what a schema can say. Thirteen tools of a shop, each with another kind of input or result.
import { createServer, image, link, ToolError, text, tool } from '@portico/sdk/server'
import { z } from 'zod'

const Product = z.object({ id: z.string(), name: z.string(), cents: z.number().int(), tags: z.array(z.string()) })
type Product = z.infer<typeof Product>

/** A category holds categories: the schema refers to itself. */
const Category = z.object({
  name: z.string(),
  get children() {
    return z.array(Category)
  },
})

const products = new Map<string, Product>([
  ['p1', { id: 'p1', name: 'Kettle', cents: 4_900, tags: ['kitchen'] }],
  ['p2', { id: 'p2', name: 'Teapot', cents: 3_250, tags: ['kitchen', 'tea'] }],
  ['p3', { id: 'p3', name: 'Lamp', cents: 8_000, tags: ['light'] }],
])

function product(id: string): Product {
  const found = products.get(id)
  if (found === undefined) throw new ToolError(`There is no product "${id}". Known: ${[...products.keys()].join(', ')}`)
  return found
}

const id = z.string().min(1).describe('A product, such as p1')
const cents = z.number().int().min(0).max(1_000_000).describe('In cents')

const search = tool(
  {
    description: 'Finds products by a word in their name',
    input: z.object({
      word: z.string().trim().min(1),
      sort: z.enum(['name', 'price']).default('name'),
      limit: z.number().int().min(1).max(50).default(10),
    }),
    output: z.object({ found: z.array(Product) }),
    readOnly: true,
  },
  ({ word, sort, limit }) => {
    const found = [...products.values()].filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))
    found.sort((a, b) => (sort === 'price' ? a.cents - b.cents : a.name.localeCompare(b.name)))
    return { found: found.slice(0, limit) }
  },
)

const find = tool(
  {
    description: 'One product, by its id or its exact name',
    input: z.discriminatedUnion('by', [
      z.object({ by: z.literal('id'), id }),
      z.object({ by: z.literal('name'), name: z.string().min(1) }),
    ]),
    output: Product,
    readOnly: true,
  },
  (wanted) => {
    if (wanted.by === 'id') return product(wanted.id)
    const found = [...products.values()].find(({ name }) => name === wanted.name)
    if (found === undefined) throw new ToolError(`Nothing is called "${wanted.name}".`)
    return found
  },
)

const add = tool(
  {
    description: 'Adds a product',
    input: z.strictObject({
      name: z.string().min(1).max(80),
      cents,
      tags: z
        .array(z.string().regex(/^[a-z]+$/))
        .max(5)
        .default([]),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    }),
    output: Product,
  },
  ({ name, cents, tags, details }) => {
    const added = { id: `p${products.size + 1}`, name, cents, tags: [...tags, ...Object.keys(details ?? {})] }
    products.set(added.id, added)
    return added
  },
)

const reprice = tool(
  {
    description: 'Changes prices; null takes a product off the shelf',
    input: z.object({ prices: z.record(z.string(), cents.nullable()) }),
    destructive: true,
    idempotent: true,
  },
  ({ prices }) => {
    for (const [id, price] of Object.entries(prices)) {
      const { name, tags } = product(id)
      if (price === null) products.delete(id)
      else products.set(id, { id, name, cents: price, tags })
    }
  },
)

const total = tool(
  {
    description: 'What a basket costs',
    input: z.object({ basket: z.array(z.tuple([id, z.number().int().min(1).max(99)])).max(100) }),
    output: z.object({ cents: z.number().int(), euros: z.string() }),
    readOnly: true,
  },
  ({ basket }) => {
    const cents = basket.reduce((sum, [id, count]) => sum + product(id).cents * count, 0)
    return { cents, euros: (cents / 100).toFixed(2) }
  },
)

const categories = tool(
  { description: 'The categories, as a tree', output: Category, readOnly: true },
  (): z.infer<typeof Category> => {
    const tags = new Set([...products.values()].flatMap((one) => one.tags))
    return { name: 'all', children: [...tags].sort().map((name) => ({ name, children: [] })) }
  },
)

const deliver = tool(
  {
    description: 'Plans a delivery',
    input: z.object({
      // Clients send text; the handler gets a Date.
      on: z.iso.date().transform((day) => new Date(`${day}T00:00:00Z`)),
      window: z.templateLiteral([z.number().int(), '-', z.number().int()]).optional().describe('Hours, such as 9-12'),
      email: z.email(),
    }),
  },
  ({ on, window = 'all day', email }) => `${on.toUTCString().slice(0, 16)}, ${window}; ${email} gets a message.`,
)

const weigh = tool(
  {
    description: 'Postage in cents for a weight in grams',
    // Models like to send numbers as text.
    input: z.object({ grams: z.coerce.number().positive().max(30_000) }),
    output: z.number().int(),
    readOnly: true,
  },
  ({ grams }) => (grams <= 1_000 ? 490 : 490 + Math.ceil((grams - 1_000) / 500) * 100),
)

const compare = tool(
  { description: 'Two products side by side', input: z.object({ a: id, b: id }), readOnly: true },
  ({ a, b }) => [product(a), product(b)].map(({ name, cents }) => text(`${name}: ${cents} cents`)),
)

/** One white pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='

const picture = tool({ description: 'A picture of a product', input: z.object({ id }), readOnly: true }, ({ id }) => [
  text(product(id).name),
  image(PIXEL, 'image/png'),
  link(`https://shop.example/products/${id}`, product(id).name),
])

const review = tool(
  {
    description: 'Stars for a product, with words if there are any',
    input: z.intersection(
      z.object({ id }),
      z.object({ stars: z.literal([1, 2, 3, 4, 5]), words: z.string().nullish() }),
    ),
  },
  ({ id, stars, words }) => `${product(id).name}: ${'★'.repeat(stars)}${words ? ` “${words}”` : ''}`,
)

const stock = tool(
  {
    description: 'How many are left',
    input: z.object({ id }),
    output: z.object({ left: z.number().int().nullable(), checked: z.iso.datetime() }),
    readOnly: true,
  },
  // The type of the result is checked by the compiler, the value before it goes out.
  ({ id }) => ({ left: product(id).cents > 5_000 ? 3 : null, checked: new Date(0).toISOString() }),
)

const close = tool({ description: 'Closes the shop for today' }, () => {
  throw new ToolError('The shop closes at six; try again later.')
})

export default createServer({
  name: 'shop',
  version: '1.0.0',
  tools: { search, find, add, reprice, total, categories, deliver, weigh, compare, picture, review, stock, close },
})
