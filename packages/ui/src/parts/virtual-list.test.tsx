import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { click, Frame, press, show, type } from '../../test/page.tsx'
import { VirtualList } from './virtual-list.tsx'

let selected = -1
let ranges: (readonly [number, number])[] = []
let followed: boolean[] = []

interface HeldProps {
  readonly count: number
  readonly first?: number
  readonly follow?: boolean
}

const HEIGHT = 40

/** A list of a thousand and more rows, as the screens hold one. */
function Held({ count: given, first = -1, follow }: HeldProps) {
  const [chosen, setChosen] = useState(first)
  const [count, setCount] = useState(given)
  const [following, setFollowing] = useState(follow)
  selected = chosen
  return (
    <>
      <button type="button" onClick={() => setCount(count + 5)}>
        More
      </button>
      <button type="button" onClick={() => setCount(3)}>
        Few
      </button>
      <button type="button" onClick={() => setChosen(5_000)}>
        Far
      </button>
      <Frame>
        <VirtualList
          label="Rows"
          count={count}
          rowHeight={HEIGHT}
          keyOf={(index) => index}
          row={(index) => <span>{`Row ${index}`}</span>}
          selected={chosen}
          onSelect={setChosen}
          onRange={note}
          {...(following !== undefined && {
            follow: following,
            onFollow: (isAtEnd: boolean) => {
              followed.push(isAtEnd)
              setFollowing(isAtEnd)
            },
          })}
        />
      </Frame>
    </>
  )
}

const note = (first: number, last: number) => void ranges.push([first, last])
const box = () => page.getByRole('listbox', { name: 'Rows' })
const drawn = () => [...document.querySelectorAll('[role="option"]')]
const row = (index: number) => page.getByText(`Row ${index}`, { exact: true })

async function open(props: HeldProps): Promise<HTMLElement> {
  ranges = []
  followed = []
  show(<Held {...props} />)
  if (props.count > 0) await expect.poll(() => drawn().length).toBeGreaterThan(0)
  else await expect.element(box()).toBeInTheDocument()
  return box().element() as HTMLElement
}

describe('of ten thousand rows', () => {
  it('only those in sight are drawn, and all can be scrolled to', async () => {
    const element = await open({ count: 10_000 })
    expect(drawn().length).toBeLessThan(60)
    expect(element.scrollHeight).toBe(10_000 * HEIGHT)
    element.scrollTop = 5_000 * HEIGHT
    await expect.element(row(5_000)).toBeVisible()
    expect(drawn().length).toBeLessThan(60)
    element.scrollTop = element.scrollHeight
    await expect.element(row(9_999)).toBeVisible()
    await expect.poll(() => ranges.at(-1)?.[1]).toBe(9_999)
  })

  it('each says its place among all, for those who cannot see the list', async () => {
    await open({ count: 10_000 })
    expect(drawn()[2]?.getAttribute('aria-posinset')).toBe('3')
    expect(drawn()[2]?.getAttribute('aria-setsize')).toBe('10000')
  })

  it('a row lies where its number says', async () => {
    const element = await open({ count: 10_000 })
    element.scrollTop = 777 * HEIGHT
    await expect.element(row(777)).toBeVisible()
    const top = row(777).element().closest('[role="option"]')?.getBoundingClientRect().top ?? 0
    expect(Math.abs(top - element.getBoundingClientRect().top)).toBeLessThan(2)
  })
})

describe('by keyboard', () => {
  it.each<[string, number, string, number]>([
    ['down begins at the top', -1, '{ArrowDown}', 0],
    ['down goes on', 3, '{ArrowDown}', 4],
    ['j is down', 3, 'j', 4],
    ['up', 3, '{ArrowUp}', 2],
    ['k is up', 3, 'k', 2],
    ['the top is the end', 0, '{ArrowUp}', 0],
    ['the bottom is the end', 9_999, '{ArrowDown}', 9_999],
    ['the end', 3, '{End}', 9_999],
    ['the beginning', 9_000, '{Home}', 0],
    ['a page down', 0, '{PageDown}', 9],
    ['a page up', 20, '{PageUp}', 11],
    ['a page up near the top', 4, '{PageUp}', 0],
    ['other keys do nothing', 3, 'x', 3],
  ])('%s', async (_what, first, key, next) => {
    const element = await open({ count: 10_000, first })
    element.focus()
    await type(key)
    await expect.poll(() => selected).toBe(next)
  })

  it('what is chosen is in sight, marked, and the focus stays on the list', async () => {
    const element = await open({ count: 10_000 })
    element.focus()
    await type('{End}')
    await expect.element(row(9_999)).toBeVisible()
    const option = row(9_999).element().closest('[role="option"]')
    expect(option?.getAttribute('aria-selected')).toBe('true')
    await expect.poll(() => element.getAttribute('aria-activedescendant')).toBe(option?.id)
    expect(document.activeElement).toBe(element)
    expect(drawn().filter((one) => one.getAttribute('aria-selected') === 'true')).toHaveLength(1)
  })

  it('a row that is clicked gives the keys to the list', async () => {
    const element = await open({ count: 10_000 })
    await row(4).click()
    await expect.poll(() => selected).toBe(4)
    expect(document.activeElement).toBe(element)
    await type('{ArrowDown}{ArrowDown}')
    await expect.poll(() => selected).toBe(6)
  })

  it('an empty list takes the keys and does nothing', async () => {
    const element = await open({ count: 0 })
    element.focus()
    await type('{ArrowDown}{End}')
    expect(selected).toBe(-1)
    expect(drawn()).toHaveLength(0)
  })
})

describe('while it changes', () => {
  it('a choice from elsewhere is brought into sight', async () => {
    await open({ count: 10_000 })
    await press('Far')
    await expect.element(row(5_000)).toBeVisible()
  })

  it('the focus and the place stay when rows come at the end', async () => {
    const element = await open({ count: 10_000 })
    element.scrollTop = 100 * HEIGHT
    await expect.element(row(100)).toBeVisible()
    await click(page.getByRole('button', { name: 'More' }))
    expect(element.scrollTop).toBe(100 * HEIGHT)
    await expect.element(row(100)).toBeVisible()
  })

  it('a list that shrinks draws no rows that are gone', async () => {
    const element = await open({ count: 10_000 })
    element.scrollTop = 9_000 * HEIGHT
    await expect.element(row(9_000)).toBeVisible()
    await press('Few')
    await expect.poll(() => drawn().length).toBe(3)
    await expect.element(row(0)).toBeVisible()
  })

  it('one that follows stays at its end, until somebody scrolls up', async () => {
    const element = await open({ count: 1_000, follow: true })
    await expect.element(row(999)).toBeVisible()
    await press('More')
    await expect.element(row(1_004)).toBeVisible()
    // A wheel turns more than once, too.
    const scrollUp = () => {
      element.scrollTop = 0
      return followed.at(-1)
    }
    await expect.poll(scrollUp).toBe(false)
    await press('More')
    await expect.element(row(0)).toBeVisible()
    expect(element.scrollTop).toBe(0)
  })
})
