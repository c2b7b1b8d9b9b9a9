/**
 * Whether the first frame of a component is displayed, so that the parts that it can do without do
 * not delay that frame. `useDeferredValue` may commit them before it.
 */
import { startTransition, useEffect, useState } from 'react'

export const useAfterPaint = (): [boolean, (isPainted: boolean) => void] => {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
  return [isPainted, setPainted]
}
