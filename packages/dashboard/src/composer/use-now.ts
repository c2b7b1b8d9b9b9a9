/** Present time in ms, for texts that count seconds. */
import { useEffect, useState } from 'react'

const INTERVAL_MS = 250

export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
