//! Files that docwright makes besides the pages: `sitemap.xml`, `robots.txt`, `llms.txt`,
//! `llms-full.txt`, the Markdown twin of each page, redirect pages, `404.html`.
