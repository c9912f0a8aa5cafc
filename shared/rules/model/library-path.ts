/** Copies of libraries, which only their own authors change. */

const FOLDER =
  /(?:^|\/)(?:vendors?|vendored|third[-_]?party|3rd[-_]?party|externals?|extlibs?|deps|node_modules|bower_components|jquery[^/]{0,40}|ckeditor\d?|tinymce|codemirror|fckeditor|phpmailer|phpass|htmlpurifier|mathjax|adodb|smarty|tcpdf|pear|bootstrap[^/]{0,40})\/|(?:^|\/)lib\/(?:mako|jinja2|requests|urllib3|werkzeug|cherrypy|tornado|certifi|chardet|bs4|html5lib|twitter|websocket)\//i;
/** Names with which the plug-ins of a library begin too. */
const WITH_PLUGINS = 'jquery|bootstrap|underscore|lodash|backbone|angular|moment|d3';
const DISTINCT =
  'json2|html5shiv|swfobject|mootools|scriptaculous|zepto|raphael|plupload|jszip|fullcalendar|highcharts|modernizr|cytoscape|ext-all|dojo|yui';
/** Names that a program also gives to its own files. They count with a version, or where web pages keep their libraries. */
const COMMON =
  'require|prototype|ace|chart|handlebars|mustache|knockout|ember|select2|datatables|prettify|respond|less|vue|react|react-dom|clipboard|dropzone|flot|sortable|timeago|leaflet';

const LIBRARY = new RegExp(
  `(?:^|/)(?:(?:${WITH_PLUGINS})(?:[.-][^/]{0,60})?|(?:${DISTINCT})(?:\\.[^/]{0,60})?)\\.js$|[.-](?:min|bundle|umd)\\.[cm]?js$`,
  'i',
);
/** Such as `react-18.2.0.js` and `json2-2001-02-23.js`. */
const WITH_VERSION = new RegExp(`(?:^|/)(?:${DISTINCT}|${COMMON})[.-]v?\\d{1,4}(?:[.-]\\d[^/]{0,60})?\\.js$`, 'i');
const COMMON_NAME = new RegExp(`(?:^|/)(?:${COMMON})(?:\\.[^/]{0,60})?\\.js$`, 'i');
const LIBRARIES_OF_PAGES =
  /(?:^|\/)(?:libs|assets|(?:js|javascripts?|public|static|www|wwwroot|htdocs|html|web|webapp|client)\/lib)\//i;

export const isLibraryPath = (path: string): boolean =>
  [FOLDER, LIBRARY, WITH_VERSION].some((pattern) => pattern.test(path)) ||
  (COMMON_NAME.test(path) && LIBRARIES_OF_PAGES.test(path));
