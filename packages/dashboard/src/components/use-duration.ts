/** Durations in their largest whole unit. */
import { useFormats, useTexts } from '../texts/texts.tsx'

const units = [
  { text: 'days', seconds: 86_400 },
  { text: 'hours', seconds: 3_600 },
  { text: 'minutes', seconds: 60 },
  { text: 'seconds', seconds: 1 },
] as const

export const useDuration = (): ((seconds: number) => string) => {
  const { history } = useTexts().measurements
  const { fill, number } = useFormats()
  return (seconds) => {
    const unit = units.find((one) => seconds >= one.seconds) ?? units[3]
    return fill(history[unit.text], { value: number(Math.floor(seconds / unit.seconds)) })
  }
}
