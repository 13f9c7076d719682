
function elsewhere(status, location) {
  return { statusCode: status, headers: { location: { value: location } } };
}

function handler(event) {
  const request = event.request;
  let path;
  try {
    path = decodeURIComponent(request.uri);
  } catch (error) {
    return request;
  }
  const bare = '/' + path.replace(/^\/+|\/+$/g, '');
  const exact = moved[bare === '/' ? '' : bare];
  if (exact) return elsewhere(exact[0], exact[1]);
  for (const [pattern, status, location] of patterns) {
    const found = pattern.exec(request.uri);
    if (found) return elsewhere(status, location(found));
  }
  if (path === base && base) return elsewhere(308, base + '/');
  if (path === base + '/') {
    request.uri = base + '/index.html';
    return request;
  }
  if (path.endsWith('/')) return elsewhere(308, '/' + request.uri.replace(/^[/\\]+|\/+$/g, ''));
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const isFile = dot >= 0 && endings.includes(name.slice(dot + 1)) && !pages.includes(path);
  if (!isFile) request.uri += '.html';
  return request;
}
