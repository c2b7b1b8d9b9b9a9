/**
 * Value that follows another one after the next frame, so that what depends on it does not delay
 * that frame. `useDeferredValue` may commit before it.
 */
import { startTransition, useEffect, useState } from 'react'

export const useAfterPaint = <Value>(value: Value, initial: Value): Value => {
  const [painted, setPainted] = useState(initial)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(value)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [value])
  return painted
}
