/**
 * A long list of which only what is in sight is drawn. One stop for the keyboard: arrows, Home, End and page keys move
 * the choice.
 */

import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import classes from './virtual-list.module.css'

interface VirtualListProps {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  readonly keyOf: (index: number) => string | number
  readonly row: (index: number) => ReactNode
  /** -1 while none is. */
  readonly selected: number
  readonly onSelect: (index: number) => void
  /** What is in sight, with a margin. */
  readonly onRange?: (first: number, last: number) => void
  /** Stays at the end while it is there. */
  readonly follow?: boolean
  readonly onFollow?: (isAtEnd: boolean) => void
}

/** Rows drawn beyond the edges. */
const MARGIN = 10

interface Sight {
  readonly first: number
  readonly last: number
}

export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, keyOf, selected, onSelect, onRange, follow, onFollow } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [{ first, last }, look] = useSight(box, count, rowHeight)
  useEffect(() => {
    if (last >= first) onRange?.(first, last)
  }, [first, last, onRange])
  useEnd(box, count, follow, look)
  useChosen(box, follow === undefined ? selected : -1, rowHeight)
  const select = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index))
    if (count === 0 || next === selected || box.current === null) return
    reveal(box.current, next * rowHeight, rowHeight)
    // Not left to the scroll event: until that is drawn, a change of the box's size would lead back to the end.
    onFollow?.(isAtEnd(box.current, rowHeight))
    onSelect(next)
  }
  const pressed = (event: KeyboardEvent) => {
    const next = box.current === null ? undefined : nextIndex(event.key, box.current, props)
    if (next === undefined) return
    event.preventDefault()
    select(next)
  }
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place)
  return (
    <div
      ref={box}
      className={classes.box}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= first && selected <= last ? `${id}-${selected}` : undefined}
      onKeyDown={pressed}
      onScroll={(event) => {
        look()
        onFollow?.(isAtEnd(event.currentTarget, rowHeight))
      }}
    >
      <div role="presentation" className={classes.all} style={{ height: count * rowHeight }}>
        {shown.map((index) => (
          <Option
            key={keyOf(index)}
            id={`${id}-${index}`}
            index={index}
            list={props}
            onClick={() => {
              box.current?.focus({ preventScroll: true })
              onSelect(index)
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface OptionProps {
  readonly id: string
  readonly index: number
  readonly list: VirtualListProps
  readonly onClick: () => void
}

function Option({ id, index, list: { selected, count, rowHeight, row }, onClick }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box around it has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={index === selected}
      aria-setsize={count}
      aria-posinset={index + 1}
      className={classes.row}
      style={{ height: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
      onClick={onClick}
    >
      {row(index)}
    </div>
  )
}

/** Brings a choice into sight that came from elsewhere, such as the address. */
function useChosen(box: RefObject<HTMLDivElement | null>, selected: number, rowHeight: number): void {
  useEffect(() => {
    if (selected >= 0 && box.current !== null) reveal(box.current, selected * rowHeight, rowHeight)
  }, [box, selected, rowHeight])
}

/** Keeps the end in sight while it is followed, whatever the list or its box becomes. */
function useEnd(
  box: RefObject<HTMLDivElement | null>,
  count: number,
  follow: boolean | undefined,
  look: () => void,
): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const toEnd = () => {
      if (follow && count > 0) element.scrollTop = element.scrollHeight
      look()
    }
    toEnd()
    const observer = new ResizeObserver(toEnd)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, follow, count, look])
}

/** The rows to draw; asked for again on every scroll, it changes only when they do. All rows are equally high. */
function useSight(box: RefObject<HTMLDivElement | null>, count: number, rowHeight: number): [Sight, () => void] {
  const [sight, setSight] = useState<Sight>({ first: 0, last: -1 })
  const look = useCallback(() => {
    const element = box.current
    if (element === null) return
    const top = Math.floor(element.scrollTop / rowHeight)
    const height = Math.ceil(element.clientHeight / rowHeight)
    // In steps, so that most scrolling draws nothing new.
    const first = Math.max(0, Math.floor((top - MARGIN) / 4) * 4)
    const last = Math.min(count - 1, Math.ceil((top + height + MARGIN) / 4) * 4)
    setSight((before) => (before.first === first && before.last === last ? before : { first, last }))
  }, [box, count, rowHeight])
  return [sight.last < count ? sight : { ...sight, last: count - 1 }, look]
}

function reveal(box: HTMLElement, top: number, height: number): void {
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight
}

function isAtEnd({ scrollTop, scrollHeight, clientHeight }: HTMLElement, rowHeight: number): boolean {
  return scrollHeight - scrollTop - clientHeight < rowHeight * 2
}

/** Where a key leads; undefined for one that leads nowhere. */
function nextIndex(key: string, box: HTMLElement, list: VirtualListProps): number | undefined {
  const { rowHeight, selected, count } = list
  const page = Math.max(1, Math.floor(box.clientHeight / rowHeight) - 1)
  const step = stepOf(key, page)
  if (typeof step !== 'number') return step === 'start' ? 0 : step === 'end' ? count - 1 : undefined
  if (selected !== -1) return selected + step
  // Where nothing is chosen it begins with what is in sight.
  const top = Math.ceil(box.scrollTop / rowHeight)
  return (step > 0 ? top - 1 : top + page + 1) + step
}

function stepOf(key: string, page: number): number | 'start' | 'end' | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return 1
    case 'ArrowUp':
    case 'k':
      return -1
    case 'PageDown':
      return page
    case 'PageUp':
      return -page
    case 'Home':
      return 'start'
    case 'End':
      return 'end'
    default:
      return undefined
  }
}
