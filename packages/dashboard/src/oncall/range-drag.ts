/** Selection of a time range by dragging over lanes with a mouse or a pen. */
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type { Span } from './lanes.ts'
import { snapped } from './periods.ts'

interface RangeDragOptions {
  /** Period that the element shows. */
  span: Span
  stepMs: number
  zone: string
  onSelect(range: Span): void
  /** Data of the bar under the pointer, after a click without a drag. */
  onClick(data: DOMStringMap): void
}

interface Origin {
  instant: number
  data: DOMStringMap
}

export const useRangeDrag = (options: RangeDragOptions) => {
  const { span, stepMs, zone, onSelect, onClick } = options
  const [selection, setSelection] = useState<Span | null>(null)
  const origin = useRef<Origin | null>(null)
  const end = () => {
    origin.current = null
    setSelection(null)
  }
  useCancelByEscape(selection !== null, end)
  const instantAt = (event: PointerEvent<HTMLElement>) =>
    snapped(instantOfPointer(event, span), stepMs, zone)
  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      // A finger scrolls the page.
      if (event.button !== 0 || event.pointerType === 'touch') return
      event.currentTarget.setPointerCapture(event.pointerId)
      origin.current = { instant: instantAt(event), data: dataOf(event.target as HTMLElement) }
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (origin.current === null) return
      setSelection(rangeOf(origin.current.instant, instantAt(event)))
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (origin.current === null) return
      const { instant, data } = origin.current
      const range = rangeOf(instant, instantAt(event))
      end()
      if (range === null) onClick(data)
      else onSelect(range)
    },
    onPointerCancel: end,
  }
  return { selection, handlers }
}

/** The text of a bar is an element of its own. */
const dataOf = (target: HTMLElement): DOMStringMap => ({
  ...target.closest<HTMLElement>('[data-start]')?.dataset,
})

/** Null for an empty range. */
const rangeOf = (one: number, other: number): Span | null =>
  one === other ? null : { startsAt: Math.min(one, other), endsAt: Math.max(one, other) }

const instantOfPointer = (event: PointerEvent<HTMLElement>, { startsAt, endsAt }: Span): number => {
  const { left, right, width } = event.currentTarget.getBoundingClientRect()
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const distance = isRightToLeft ? right - event.clientX : event.clientX - left
  const fraction = Math.min(1, Math.max(0, distance / width))
  return startsAt + fraction * (endsAt - startsAt)
}

const useCancelByEscape = (isDragging: boolean, onCancel: () => void) => {
  const cancel = useRef(onCancel)
  cancel.current = onCancel
  useEffect(() => {
    if (!isDragging) return
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && cancel.current()
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isDragging])
}
