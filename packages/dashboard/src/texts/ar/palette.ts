/** Arabic texts of the command palette and the shortcuts. */
import type { palette as model } from '../en/palette.ts'

export const palette: typeof model = {
  title: 'البحث والإجراءات',
  search: 'ابحث أو اختر إجراءً',
  results: 'النتائج',
  empty: 'لا توجد نتائج',
  actions: 'الإجراءات',
  views: 'الشاشات',
  incidents: 'الحوادث',
  components: 'المكوّنات',
  pages: 'صفحات الحالة',
  shortcuts: 'اختصارات لوحة المفاتيح',
  paletteKeys: 'Ctrl+K',
  singleKeys: 'اختصارات من مفتاح واحد',
  singleKeysHint: 'لا تعمل أبدًا أثناء الكتابة في حقل.',
}
