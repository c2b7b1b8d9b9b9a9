/** Arabic texts of the vendors that components follow. */
import type { vendor as model } from '../en/vendor.ts'

export const vendor: typeof model = {
  title: 'تقرير المورّد',
  pending: 'تجري قراءة الصفحة.',
  noData: 'لا توجد بيانات',
  url: 'صفحة حالة المورّد',
  urlHint:
    'عنوان صفحة حالة (Statuspage وincident.io وInstatus وغيرها) أو ملف JSON الخاص بها أو موجز RSS أو Atom؛ فارغ: بلا',
  component: 'مكوّن المورّد',
  componentHint: 'الاسم أو المعرّف؛ فارغ: الصفحة كلها',
  mode: 'أثر التقرير',
  modes: {
    mirror: 'نقل الحالة',
    draft: 'إعداد مسودة حادثة',
    note: 'العرض فقط',
  },
  modeHints: {
    mirror: 'تتبع حالة المكوّن حالة المورّد.',
    draft: 'ينشئ التعطل لدى المورّد مسودة حادثة، ولا تعرض صفحات الحالة التقرير.',
    note: 'تعرض صفحات الحالة التقرير بجانب المكوّن، ولا تتغير حالته.',
  },
  errors: {
    blocked: 'العنوان غير عام',
    dns_error: 'لم يُعثر على اسم المضيف',
    connect_error: 'الخادم لا يقبل الاتصالات',
    tls_error: 'الشهادة غير صالحة',
    protocol_error: 'الاستجابة غير صالحة',
    timeout: 'لا استجابة في الوقت المحدد',
    too_large: 'المستند أكبر من 2 ميبيبايت',
    too_complex: 'المستند معقّد جدًا',
    too_many_redirects: 'عمليات إعادة توجيه كثيرة جدًا',
    error_response: 'استجاب الخادم بخطأ',
    unknown_format: 'صيغة المستند غير معروفة',
    component_not_found: 'لا يوجد هذا المكوّن في الصفحة',
  },
}
