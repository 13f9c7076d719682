
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
  for (let place = 0; place < patterns.length; place += 1) {
    const found = patterns[place][0].exec(request.uri);
    if (found) return elsewhere(patterns[place][1], patterns[place][2](found));
  }
  if (path === base && base) return elsewhere(308, base + '/');
  if (path === base + '/') {
    request.uri = base + '/index.html';
    return request;
  }
  if (path.charAt(path.length - 1) === '/') return elsewhere(308, '/' + request.uri.replace(/^[/\\]+|\/+$/g, ''));
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const isFile = dot >= 0 && endings.indexOf(name.slice(dot + 1)) >= 0 && pages.indexOf(path) < 0;
  if (!isFile) request.uri += '.html';
  return request;
}
