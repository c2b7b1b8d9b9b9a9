/** Value that follows another one after it has not changed for some time. */
import { useEffect, useState } from 'react'

export const useDelayed = <Value>(value: Value, delayMs: number): Value => {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return delayed
}
