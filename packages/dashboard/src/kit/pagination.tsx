/** Links between the pages of a list; absent for a single page. */

import { fill } from '../texts/plural.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import classes from './pagination.module.css'

interface PaginationProps {
  page: number
  total: number
  pageSize: number
  onChange(page: number): void
}

export const Pagination = ({ page, total, pageSize, onChange }: PaginationProps) => {
  const { pages: texts } = useTexts()
  const pages = Math.ceil(total / pageSize)
  if (pages <= 1 && page === 1) return null
  return (
    <nav className={classes.pagination} aria-label={texts.label}>
      <Button onPress={() => onChange(page - 1)} isDisabled={page <= 1}>
        {texts.previous}
      </Button>
      <span className={classes.position}>{fill(texts.position, { page, pages })}</span>
      <Button onPress={() => onChange(page + 1)} isDisabled={page >= pages}>
        {texts.next}
      </Button>
    </nav>
  )
}
